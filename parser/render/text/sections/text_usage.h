// The sections of the text report about memory and counters; "" when nothing was measured. For
// render_text.cc.
#pragma once

#include "report/report.h"

#include <cstddef>
#include <string>

namespace mprof {

std::string memory_section(const Report &report);
std::string counters_section(const Report &report, size_t width);

}  // namespace mprof
