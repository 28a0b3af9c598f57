// A row of the Report's list of files (report.h), and the figures that follow from others. Filled
// by analyse/analyse_files.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mprof {

// A file that the program opened with MPI, by name and how it was opened, over all ranks. Files
// whose names differ in numbers alone are one row if they are many.
struct FileRow {
    struct Moves {
        uint64_t calls = 0, collective_calls = 0, bytes = 0;
        double time_s = 0;
    };
    std::string name;                // "out.#.dat" of several
    std::string mode;                // "write, create"
    uint64_t files = 1;              // that share the row
    uint64_t ranks = 0;              // that opened it
    uint64_t communicator_size = 0;  // of the largest that it was opened on
    Moves reads, writes;
    std::optional<uint64_t> min_bytes, max_bytes;  // of one call that reads or writes
    uint64_t opens = 0, syncs = 0, others = 0;
    double open_s = 0, sync_s = 0, other_s = 0;      // open_s: also closing it
    double longest_move_s = 0;                       // of the rank that read and wrote longest
    std::optional<uint32_t> slowest_rank;            // that one; nothing: nobody read or wrote
    std::string open_place, sync_place, move_place;  // of the first such call

    uint64_t calls() const { return reads.calls + writes.calls; }
    uint64_t bytes() const { return reads.bytes + writes.bytes; }
    double move_s() const { return reads.time_s + writes.time_s; }
    double time_s() const { return move_s() + open_s + sync_s + other_s; }
    std::optional<uint64_t> mean_bytes() const;
    std::optional<double> collective_percent() const;  // of the calls that read or write
    std::optional<double> rate() const;                // bytes per second of longest_move_s
    std::optional<double> rank_rate() const;           // bytes per second of move_s()
};

}  // namespace mprof
