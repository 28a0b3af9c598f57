// The run beside what its machine can do; nothing without --machine.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

std::string machine_section(const Report &report, size_t width);

}  // namespace mprof
