// Several runs of one program at several sizes: how it scales, and what stops it.
#pragma once

#include "scale/scaling.h"
#include "scale/size_run.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

// Runs of at least two sizes. Without `kind` it is told by the work of the runs.
Scaling analyse_scaling(std::vector<SizeRun> runs, std::optional<ScalingKind> kind);

// What keeps these runs from being compared, or "".
std::string why_not_scaled(const std::vector<SizeRun> &runs);

}  // namespace mprof
