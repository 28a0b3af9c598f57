// What would change the run: the accounts, and what they save one after the other.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// "" if no account saves a hundredth of the run.
std::string accounts_section(const Report &report, size_t width);

}  // namespace mprof
