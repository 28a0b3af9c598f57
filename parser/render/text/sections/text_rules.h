// When a row of a table matters, and how many of them the short text has: mprof report without
// --all. Everything that decides this is here; the sections only ask. A table without such a row is
// left out, and the last line of the text names it.
//
// Shares are percent. "Of the run" is of the wallclock of all ranks together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mprof {

struct TextRules {
    size_t most_lines = 80;  // of a short text: tables beyond that are named only
    // What takes less of the run has no row.
    double run_percent = 1;
    // Largest / mean over ranks or nodes: below it they are alike, and which is which tells
    // nothing.
    double uneven = 1.2;

    size_t steps = 3, places = 3, accounts = 4, lints = 3, last_calls = 5, remarks = 3;
    size_t remark_lines = 2;  // of one remark on the quality

    size_t functions = 5, causes = 3, call_sites = 5, files = 3, regions = 6, worlds = 3;
    size_t counters = 6, metrics = 6, communicators = 3, nodes = 4, partners = 3, transfers = 3;
    size_t machine_times = 5, phases = 3;

    // Message sizes: of a function with several, and of so much of the MPI time.
    size_t sizes = 4;
    double size_mpi_percent = 5;
    // Nonblocking operations: that take so much of the MPI time, though computing hides less than
    // half of them.
    size_t operations = 3;
    double operation_mpi_percent = 5, little_overlap = 0.5;
    // Computing between two calls, and parallel regions: of all computing.
    size_t segments = 3, functions_in_segment = 2, parallel_regions = 3;
    double segment_percent = 5;
    // Messages: that take so many times as long without waiting as they could.
    double slow_message = 2;
    // Partners: that send so many times as much as the mean pair.
    double heavy_partner = 1.5;
    // mprof machine: what takes so many times as long as a larger size was disturbed.
    double disturbed = 3;
    // The strip of the ranks: with fewer the summary says it as well.
    uint64_t strip_ranks = 8, strip_ranks_of_all = 3;
};

inline constexpr TextRules text_rules;

}  // namespace mprof
