// One rank's entries with seconds in place of ticks: one row per function, place, size and
// communicator. They stay in the memory of what was read (read/tables/entry_list.h), a few bytes
// each, and are made anew for whoever walks over them.
#pragma once

#include "measure/clocks.h"
#include "read/tables/entry_list.h"
#include "report/known.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace mprof {

// One row of what a rank did: a function at a place, with a size, on a communicator.
//
// COMPLETION entries hold time that is in other entries already: their time_s is 0, their calls are
// completions and no calls. What is known of waiting is put in later (waits.h); until then nothing
// is.
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

// The entries of one rank, in the memory of what was read (read/tables/entry_list.h): seconds take
// the place of ticks.
//
//   for (const MeasuredEntry &entry : entries)     made anew for each step: keep a copy, no address
//   entries.set_waits(judge)                       waiting is all that changes
class MeasuredEntries {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = MeasuredEntry;
        using difference_type = std::ptrdiff_t;
        using pointer = const MeasuredEntry *;
        using reference = MeasuredEntry;

        Iterator(const MeasuredEntries &entries, size_t index)
            : entries_(&entries),
              keys_(entries.list_.keys()),
              values_(entries.list_.values().data()),
              waits_s_(entries.waits_s_.empty() ? nullptr : entries.waits_s_.data()),
              parts_(entries.parts_.empty() ? nullptr : entries.parts_.data()),
              in_list_(entries.list_.size()),
              index_(index)
        {
        }
        // Inline, what the caller does not look at is not read: the entries of many ranks are in no
        // cache.
        [[gnu::always_inline]] MeasuredEntry operator*() const
        {
            if (index_ >= in_list_)
                return entries_->in_progress_[index_ - in_list_];
            const EntryList::Values &values = values_[index_];
            MeasuredEntry entry;
            entry.key = keys_[index_];
            const EntryList::Counts counts =
                EntryList::counts_of(entry.key, values, entries_->list_.large());
            entry.calls = counts.calls;
            (entry.is_completion() ? entry.unknown_spans : entry.bytes) = counts.bytes;
            (entry.is_completion() ? entry.completion_s : entry.time_s) = values.time.seconds;
            entry.min_s = values.ends[0].seconds;
            entry.max_s = values.ends[1].seconds;
            if (waits_s_ != nullptr)
                entry.wait_s = waits_s_[index_];
            if (parts_ != nullptr)
                entry.mpi_thread_part = parts_[index_];
            return entry;
        }
        Iterator &operator++()
        {
            index_++;
            return *this;
        }
        bool operator==(const Iterator &other) const { return index_ == other.index_; }

    private:
        const MeasuredEntries *entries_;
        const EntryKey *keys_;
        const EntryList::Values *values_;
        const KnownSeconds *waits_s_;  // nullptr: nothing is known
        const float *parts_;           // nullptr: there is one thread
        size_t in_list_, index_;
    };

    MeasuredEntries() = default;
    // `parts`: of the rank's MPI thread, one for each entry; none if the rank has one thread.
    MeasuredEntries(EntryList list, const TickRate &rate, std::vector<float> parts = {})
        : list_(std::move(list)), parts_(std::move(parts))
    {
        EntryList::Iterator at = list_.begin();
        for (EntryList::Values &values : list_.values()) {
            const MeasuredEntry entry = measured(*at, rate);
            values.time.seconds = entry.blocked_s();
            values.ends[0].seconds = entry.min_s;
            values.ends[1].seconds = entry.max_s;
            if (values.large != 0)
                list_.large()[values.large - 1] = {
                    entry.calls, entry.is_completion() ? entry.unknown_spans : entry.bytes};
            ++at;
        }
    }

    size_t size() const { return list_.size() + in_progress_.size(); }
    Iterator begin() const { return Iterator(*this, 0); }
    Iterator end() const { return Iterator(*this, size()); }
    MeasuredEntry operator[](size_t index) const { return *Iterator(*this, index); }

    // A call that is not in the file's entries yet.
    void push_back(const MeasuredEntry &entry) { in_progress_.push_back(entry); }

    // `judge(entry)` returns what is now known of its waiting.
    template <class Judge>
    void set_waits(Judge judge)
    {
        waits_s_.resize(list_.size());
        Iterator at = begin();
        for (KnownSeconds &wait_s : waits_s_) {
            wait_s = judge(*at);
            ++at;
        }
        for (MeasuredEntry &entry : in_progress_)
            entry.wait_s = judge(entry);
    }

private:
    EntryList list_;
    std::vector<KnownSeconds> waits_s_;  // of `list_`; empty: nothing is known
    std::vector<float> parts_;           // likewise; empty: there is one thread
    std::vector<MeasuredEntry> in_progress_;
};

}  // namespace mprof
