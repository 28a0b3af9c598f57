// The section of the text report about files: text_files.cc.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// "" when the program opened none with MPI.
std::string files_section(const Report &report, size_t width);

}  // namespace mprof
