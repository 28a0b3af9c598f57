// What is wrong: of the text report its section, and all that mprof lint prints.
#pragma once

#include "report/report.h"

#include <cstddef>
#include <string>

namespace mprof {

// The worst findings in short; "" if there are none.
std::string lints_section(const Report &report, size_t width);

// All findings, and which rules were looked at.
std::string render_lints(const Report &report, size_t width);

}  // namespace mprof
