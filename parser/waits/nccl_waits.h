// Who waits for whom in collectives of NCCL and RCCL (mprof_nccl_time), for all that tells of
// waiting: rows of communicators, the run over time, the accounts.
//
// On the GPU a collective runs until the last rank has come, so the CPU sees a wait for the GPU.
// Collectives of a communicator have numbers, which are the same on all of its ranks. Each rank
// keeps when it came to those whose number is a multiple of its stride, a power of two: so the
// ones that are kept on all ranks are those of the largest stride, and each stands for so many.
#pragma once

#include "measure/call_paths.h"
#include "measure/rank_measure.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mprof {

// A rank waits from its arrival on, on the axis of all ranks' time. It stands for `weight` such
// stretches about then.
struct NcclStretch {
    double begin_s = 0, end_s = 0;
    double weight = 1;
};

// What share of a stretch of time a rank is in collectives of a communicator, and waits there for
// the rank that comes last: 0 to 1.
struct NcclSpan {
    double begin_s = 0, end_s = 0;
    double running = 0, waiting = 0;
};

// Of a rank in a communicator: how long the others waited for it, and how often it came last.
struct NcclLate {
    double waited_s = 0;
    uint64_t times = 0;
};

// Function, datatype, bytes of a call, and where it is made: a node of the call paths, 0 = not
// known. Of the first rank that makes it.
using NcclCallKey = std::tuple<std::string, std::string, uint64_t, uint32_t>;

// Summed over ranks, of all collectives; of those compared where it says so.
struct NcclCommWaits {
    uint64_t compared = 0;  // collectives of which it is known when each rank came
    double waited_s = 0;    // for the last rank
    double running_s = 0;  // from when ranks came until it was over, of those that were seen to end
    std::map<size_t, NcclLate> late;            // by rank, as in RankMeasures; of those compared
    std::map<NcclCallKey, double> waited_in_s;  // what of waited_s is in which calls
};

struct NcclWaits {
    std::map<uint64_t, NcclCommWaits> comms;        // by NCCL's id
    std::vector<std::vector<NcclStretch>> of_rank;  // empty: nobody waits
    std::vector<std::vector<NcclSpan>> spans;       // by rank, of all collectives; empty likewise
    std::vector<double> caused_s;                   // by rank: the others waited so long for it
};

NcclWaits find_nccl_waits(const std::vector<RankMeasure> &ranks, const CallPaths &paths);

}  // namespace mprof
