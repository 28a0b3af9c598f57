// Files that are text and no profile: rank files, logs, what another command of mprof wrote.
#pragma once

#include "read/file_result.h"

#include <string>

namespace mprof {

// All of a file of at most 256 MiB.
Result<std::string> read_text_file(const std::string &path);

// What is wrong at `offset`; what was found is shortened.
FileError text_error(const std::string &path, uint64_t offset, const std::string &expected,
                     const std::string &found);

}  // namespace mprof
