// Sums over entries: the calls of a function or of a call site, and the cost of a region or of a
// communicator.
#pragma once

#include "measure/measured_entries.h"
#include "measure/rank_measure.h"
#include "waits/waits.h"

#include <algorithm>
#include <map>

namespace mprof {

// Adds up the calls of some entries: of a function, of a call site, of either on one rank.
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

// Calls, bytes and time of entries, added up by the slot of something that they belong to: a region
// or a communicator. Where the record had no space entries lost their slot and are those of slot 0;
// then the slot's own record says how much of them is its own.
//
//   costs[entry.key.region].add(entry)              for all entries of a rank
//   return_folded(costs, slot, facts.folded, rank.clock)   for all slots but 0
struct CostSum {
    uint64_t calls = 0, bytes = 0;
    double time_s = 0, mpi_thread_s = 0;
    WaitSum wait;

    void add(const MeasuredEntry &entry)
    {
        calls += entry.counted_calls();
        bytes += entry.counted_bytes();
        time_s += entry.time_s;
        mpi_thread_s += entry.mpi_thread_s();
        if (entry.counts_calls())
            wait.add(entry);
    }
    void add(const CostSum &other)
    {
        calls += other.calls;
        bytes += other.bytes;
        time_s += other.time_s;
        mpi_thread_s += other.mpi_thread_s;
        wait.add(other.wait);
    }
};

using CostsBySlot = std::map<uint32_t, CostSum>;

// Of the thread's part and of waiting only the sums are known: as much of each as of the time.
inline void return_folded(CostsBySlot &costs, uint32_t slot, const mprof_folded_sums &folded,
                          const TickRate &rate)
{
    if (slot == 0 || (folded.calls | folded.bytes | folded.ticks) == 0)
        return;
    CostSum &without = costs[0];
    const double net_s =
        net_ticks(folded.ticks, folded.calls, rate.read_ticks) * rate.seconds_per_tick;
    CostSum part;
    part.calls = std::min(folded.calls, without.calls);
    part.bytes = std::min(folded.bytes, without.bytes);
    part.time_s = std::clamp(net_s, 0.0, without.time_s);
    const double share = without.time_s > 0 ? part.time_s / without.time_s : 0;
    part.mpi_thread_s = share * without.mpi_thread_s;
    part.wait = without.wait;
    part.wait.wait_s *= share;
    without.calls -= part.calls;
    without.bytes -= part.bytes;
    without.time_s -= part.time_s;
    without.mpi_thread_s -= part.mpi_thread_s;
    without.wait.wait_s -= part.wait.wait_s;
    costs[slot].add(part);
}

}  // namespace mprof
