// One row of what a rank did: a function at a place, with a size, on a communicator.
//
// COMPLETION entries hold time that is in other entries already: their time_s is 0, their calls are
// completions and no calls. What is known of waiting is put in later (waits.h); until then nothing
// is.
#pragma once

#include "measure/tick_clock.h"
#include "read/tables/entry_list.h"
#include "report/known.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mprof {

struct MeasuredEntry {
    EntryKey key;
    uint64_t calls = 0;
    uint64_t bytes = 0;
    double time_s = 0;  // only of what counts_calls()
    // Of completions alone, which have no time_s: what they take of the calls that completed them,
    // and the time between start and completion, of which in MPI.
    double completion_s = 0;
    uint64_t unknown_spans = 0;  // of completions, those whose span is not known
    union {
        double min_s = 0;  // not of completions; only if calls > 0
        double span_s;     // of completions
    };
    union {
        double max_s = 0;
        double span_mpi_s;
    };
    KnownSeconds wait_s;  // part of time_s, of completions of completion_s; nothing = not known
    float mpi_thread_part = 1;  // of time_s, what the rank's MPI thread spent (rank_measure.h)

    double mpi_thread_s() const { return static_cast<double>(mpi_thread_part) * time_s; }
    // Waiting is known of all threads together: each has as much of it as of the time.
    KnownSeconds mpi_thread_wait_s() const
    {
        return wait_s ? KnownSeconds(static_cast<double>(mpi_thread_part) * *wait_s) : wait_s;
    }
    bool is_completion() const { return key.kind == MPROF_KIND_COMPLETION; }
    // How long somebody was in MPI for it.
    double blocked_s() const { return is_completion() ? completion_s : time_s; }
    bool counts_calls() const
    {
        return key.kind == MPROF_KIND_CALL || key.kind == MPROF_KIND_PENDING;
    }
    // What the entry adds to the calls and bytes of its function.
    uint64_t counted_calls() const { return counts_calls() ? calls : 0; }
    uint64_t counted_bytes() const
    {
        return key.kind == MPROF_KIND_CALL || key.kind == MPROF_KIND_START ? bytes : 0;
    }
};

// Sums are signed 64 bit numbers seen as unsigned: a thread may hold -1 pending calls. They become
// floating point before anything is multiplied, so that a hostile file can make numbers silly but
// nothing undefined.
inline double signed_value(uint64_t sum)
{
    return static_cast<double>(static_cast<int64_t>(sum));
}

// Minus one clock read per call.
inline double net_ticks(uint64_t ticks, uint64_t calls, uint64_t read_ticks)
{
    return signed_value(ticks) - signed_value(calls) * static_cast<double>(read_ticks);
}

// What makes seconds of ticks; of a TickClock.
struct TickRate {
    double seconds_per_tick = 0;
    uint64_t read_ticks = 0;  // of one read of the clock

    TickRate(const TickClock &clock)
        : seconds_per_tick(clock.seconds_per_tick()), read_ticks(clock.read_ticks())
    {
    }
};

// Its waiting is not known then.
inline MeasuredEntry measured(const mprof_entry &sum, const TickRate &rate)
{
    MeasuredEntry entry;
    entry.key = key_of_entry(sum);
    const bool negative = static_cast<int64_t>(sum.calls) < 0;  // a live file caught between two
                                                                // threads
    entry.calls = negative ? 0 : sum.calls;
    entry.bytes = sum.bytes;
    const double per_tick = rate.seconds_per_tick;
    const auto net_s = [&](uint64_t ticks, uint64_t calls) {
        return std::max(0.0, net_ticks(ticks, calls, rate.read_ticks) * per_tick);
    };
    // A completion's time is a share of a call that lost its clock read already.
    const auto seconds = [&](uint64_t ticks) {
        return std::max(0.0, signed_value(ticks) * per_tick);
    };
    if (entry.is_completion()) {
        entry.unknown_spans = std::exchange(entry.bytes, 0);
        entry.completion_s = seconds(sum.ticks);
        entry.span_s = seconds(sum.span_ticks);
        entry.span_mpi_s = std::min(entry.span_s, seconds(sum.span_mpi_ticks));
    }
    if (!entry.counts_calls())
        return entry;
    entry.time_s = net_s(sum.ticks, sum.calls);
    if (sum.min_ticks <= sum.max_ticks) {
        entry.min_s = net_s(sum.min_ticks, 1);
        entry.max_s = net_s(sum.max_ticks, 1);
    }
    return entry;
}

}  // namespace mprof
