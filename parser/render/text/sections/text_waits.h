// The sections of the text report about waiting and transfer; "" when there is nothing to tell. For
// render_text.cc.
#pragma once

#include "report/report.h"

#include <cstddef>
#include <string>

namespace mprof {

std::string causes_section(const Report &report, size_t width);
std::string transfers_section(const Report &report);

}  // namespace mprof
