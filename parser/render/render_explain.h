// The verdict's rules with the numbers of this run: mprof report --explain.
#pragma once

#include "analyse/report.h"

#include <string>

namespace mprof {

std::string render_explain(const Report &report);

}  // namespace mprof
