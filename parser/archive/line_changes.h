// What changed by call line: of the runs just before a change, and those just behind it. Only runs
// whose lines the archive still has.
#pragma once

#include "archive/archive.h"
#include "archive/run_series.h"

#include <vector>

namespace mprof {

struct Fleet;

// A run with its lines, to be compared with others.
struct LinesOfRun {
    double wallclock_s = 0, compute_s = 0;  // of the average rank
    int64_t ranks = 1;
    std::vector<ArchivedLine> lines;
};

// What changed most first; what is within the noise is left out, but for computing.
std::vector<LineChange> compare_lines(const std::vector<LinesOfRun> &before,
                                      const std::vector<LinesOfRun> &after);

// Of the last change of each series that is counted.
bool add_line_changes(Archive &archive, Fleet &fleet);

}  // namespace mprof
