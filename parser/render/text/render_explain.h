// The verdict's rules with the numbers of this run, and what the words of the text report mean:
// mprof report --explain.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

std::string render_explain(const Report &report, size_t width);

}  // namespace mprof
