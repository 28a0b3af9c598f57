// Where the ranks stand, for mprof hang: lines for a terminal.
#pragma once

#include "analyse/report.h"

#include <string>

namespace mprof {

std::string render_standing(const Report &report, size_t width);

}  // namespace mprof
