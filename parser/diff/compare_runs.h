// From the reports of runs to their comparison.
#pragma once

#include "diff/comparison.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct RunReport {
    std::string path;
    Report report;
};

// Each side has at least one run. The runs of a side are repetitions: of the same build.
// `allowed_percent`: by how much the wallclock may grow; none = by anything.
Comparison compare_runs(const std::vector<RunReport> &a, const std::vector<RunReport> &b,
                        std::optional<double> allowed_percent);

}  // namespace mprof
