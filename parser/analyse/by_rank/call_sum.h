// Adds up the calls of some entries: of a function, of a call site, of either on one rank.
#pragma once

#include "measure/rank_measure.h"
#include "waits/waits.h"

#include <algorithm>

namespace mprof {

struct CallSum {
    uint64_t calls = 0, bytes = 0, received_bytes = 0;
    double time_s = 0, mpi_thread_s = 0;
    double min_s = 0, max_s = 0;  // of one call
    WaitSum wait;
    bool has_extremes = false;

    void add(const MeasuredEntry &entry)
    {
        if (entry.key.kind == MPROF_KIND_RECEIVED)
            received_bytes += entry.bytes;
        bytes += entry.counted_bytes();
        if (!entry.counts_calls())
            return;
        calls += entry.calls;
        time_s += entry.time_s;
        mpi_thread_s += entry.mpi_thread_s();
        wait.add(entry);
        if (entry.calls == 0 || entry.max_s < entry.min_s)
            return;
        min_s = has_extremes ? std::min(min_s, entry.min_s) : entry.min_s;
        max_s = has_extremes ? std::max(max_s, entry.max_s) : entry.max_s;
        has_extremes = true;
    }
};

}  // namespace mprof
