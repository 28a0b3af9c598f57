// The programs of a job that has several, and which one waits for which.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// "" of a job with one program.
std::string programs_section(const Report &report);

}  // namespace mprof
