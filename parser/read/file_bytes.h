// The bytes of a file. It is read, not mapped: a running rank may replace its file meanwhile, and a
// file that shrinks under a mapping would end the parser with SIGBUS.
#pragma once

#include "read/file_result.h"
#include "read/open_file.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mprof {

// A longer file is refused; the largest real one is a live record with a very generous
// MPROF_MEMORY.
inline constexpr uint64_t max_file_bytes = uint64_t{2} << 30U;

// How much is read of a file that does not begin with the magic of a rank file: it may be anything.
enum class OtherFiles { begin_only /* 64 bytes */, whole };

// Reads a regular file.
Result<std::vector<std::byte>> read_file_bytes(const std::string &path,
                                               OtherFiles others = OtherFiles::begin_only);

// Reads `bytes` bytes from `offset` on; an error if the file is shorter.
Result<std::vector<std::byte>> read_file_part(const OpenFile &file, const std::string &path,
                                              uint64_t offset, uint64_t bytes);

}  // namespace mprof
