// The entries of one rank, in the memory of what was read (read/tables/entry_list.h): seconds take
// the place of ticks.
//
//   for (const MeasuredEntry &entry : entries)     made anew for each step: keep a copy, no address
//   entries.set_waits(judge)                       waiting is all that changes
#pragma once

#include "measure/entries/measured_entry.h"

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace mprof {

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
        MeasuredEntry operator*() const
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
