// The section of the text report about OpenMP: text_openmp.cc.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// "" when nothing is known of parallel regions.
std::string openmp_section(const Report &report, size_t width);

}  // namespace mprof
