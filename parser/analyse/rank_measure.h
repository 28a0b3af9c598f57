// What one rank did, with its threads added up and its ticks converted.
//
// What holds: calls and bytes of an entry are sums over threads modulo 2^64 (a receive may be
// posted on one thread and completed on another), and only rows with something in them are kept.
// time_s is net of one clock read per call.
#pragma once

#include "analyse/tick_clock.h"
#include "merge/profile.h"

#include <vector>

namespace mprof {

struct MeasuredEntry {
    mprof_entry key{};  // function, region, communicator, callsite, kind, precision, size
    uint64_t calls = 0;
    uint64_t bytes = 0;
    double time_s = 0;
    double min_s = 0;  // only if calls > 0
    double max_s = 0;

    bool counts_calls() const
    {
        return key.kind == MPROF_KIND_CALL || key.kind == MPROF_KIND_PENDING;
    }
};

struct RankMeasure {
    const RankFile *file = nullptr;
    TickClock clock;
    std::vector<MeasuredEntry> entries;
    double wallclock_s = 0;
    double mpi_s = 0;         // summed over threads
    double mpi_thread_s = 0;  // of the thread that spent most; at most the wallclock
    double compute_s = 0;     // wallclock - mpi_thread_s
    uint64_t calls = 0;

    uint32_t rank() const { return file->header().rank; }
    bool complete() const { return file->finished() && file->run.end == MPROF_END_FINALIZE; }
};

// One per rank of the profile, in its order; they refer to the profile.
std::vector<RankMeasure> measure_ranks(const Profile &profile);

}  // namespace mprof
