// Are the values in a record possible? A checksum says that a record is as it was written, not that
// it makes sense, and a live file has no checksum at all. Each function returns what is wrong, or
// nothing.
#pragma once

#include "read/rank_file.h"

#include <optional>

namespace mprof {

std::optional<FileError> check_clock(const mprof_clock &clock, const RankFile &rank,
                                     const mprof_section &section);
std::optional<FileError> check_thread(const mprof_thread &thread, const RankFile &rank,
                                      const mprof_section &section);
std::optional<FileError> check_record(const mprof_entry &entry, size_t number, const RankFile &rank,
                                      const mprof_section &section);
std::optional<FileError> check_record(const mprof_partner &partner, size_t number,
                                      const RankFile &rank, const mprof_section &section);

}  // namespace mprof
