// The report for terminals and log files: ASCII, every line begins with '#', at most `width`
// columns (80 at least; a name that does not fit moves the columns to its right).
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

std::string render_text(const Report &report, size_t width);

}  // namespace mprof
