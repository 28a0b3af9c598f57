// Reads the sections of a rank file into a RankFile, one function per kind of section; rank_file.cc
// calls them in the order in which they refer to each other. Each returns what is wrong, or
// nothing.
//
// FINISHED files are read strictly. A LIVE file may be read in the middle of a change. Incomplete
// records are left out, except those that totals are made of (entries, partners).
#pragma once

#include "read/rank_file.h"

#include <optional>

namespace mprof {

// Run, clock and texts: rank_file.cc. They refer to nothing.
std::optional<FileError> read_facts(std::span<const std::byte> bytes, RankFile &rank,
                                    const ReadMemory *memory);

// Modules, scripts, callsites and operations: numbered_tables.cc. They come before everything that
// refers to them.
std::optional<FileError> read_program_tables(std::span<const std::byte> bytes, RankFile &rank);

// Other tables whose records have slots, or just an order: numbered_tables.cc.
std::optional<FileError> read_numbered_tables(std::span<const std::byte> bytes, RankFile &rank);

// Threads with their tables: thread_tables.cc.
std::optional<FileError> read_threads(std::span<const std::byte> bytes, RankFile &rank,
                                      KeyLists &lists);

// Journals of collectives: journals.cc.
std::optional<FileError> read_journals(std::span<const std::byte> bytes, RankFile &rank);

// Hashes of what calls carried: numbered_tables.cc.
std::optional<FileError> read_results(std::span<const std::byte> bytes, RankFile &rank);

// The run over time, in at most so many bins: time_tables.cc.
std::optional<FileError> read_time(std::span<const std::byte> bytes, RankFile &rank,
                                   size_t most_bins);

}  // namespace mprof
