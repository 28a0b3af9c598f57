// What the phases are found in: the run over time as the mean of all ranks, as one rank that is
// unlike the others, and what stands out in each bin.
#pragma once

#include "analyse/time/time_axis.h"

#include <map>
#include <string>
#include <vector>

namespace mprof {

// A line of the program that calls MPI.
struct CallLineName {
    std::string function, place, symbol;  // as CallLineRow has them
    bool has_line = false;
    uint32_t row = 0;  // of report.call_lines, + 1; 0 = none
};

using NumberWeights = std::map<uint32_t, double>;

struct TimeView {
    TimeAxis axis;
    std::vector<TimeBin> bins;
    std::vector<CallLineName> lines{1};
    std::vector<std::string> regions;     // by number, as people read them; "" = none
    std::vector<NumberWeights> line_s;    // by bin: MPI seconds of lines, all ranks together
    std::vector<NumberWeights> region_s;  // by bin: seconds in regions, all ranks together
    std::vector<TimeSplit> outlier;       // of the rank furthest from the mean
};

// Ranks in a stretch of time.
struct RankInPhase {
    float compute_s = 0, contention_s = 0, blocked_s = 0, wait_s = 0, file_s = 0;
    float all_s() const { return compute_s + contention_s + blocked_s; }
};

inline void add_part(TimeSplit &sum, const TimeSplit &split, double part)
{
    sum.compute_s += part * split.compute_s;
    sum.contention_s += part * split.contention_s;
    sum.blocked_s += part * split.blocked_s;
    sum.wait_s += part * split.wait_s;
    sum.transfer_s += part * split.transfer_s;
    sum.file_s += part * split.file_s;
    sum.startup_s += part * split.startup_s;
}

}  // namespace mprof
