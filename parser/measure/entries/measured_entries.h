// The entries of one rank, measured when they are looked at: what the file holds of them is much
// smaller (read/tables/entry_list.h), and a rank's clock makes seconds of it in no time.
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

        Iterator(const MeasuredEntries &entries, size_t index) : entries_(&entries), index_(index)
        {
        }
        MeasuredEntry operator*() const { return (*entries_)[index_]; }
        Iterator &operator++()
        {
            index_++;
            return *this;
        }
        bool operator==(const Iterator &other) const { return index_ == other.index_; }

    private:
        const MeasuredEntries *entries_;
        size_t index_;
    };

    MeasuredEntries() = default;
    MeasuredEntries(EntryList list, const TickRate &rate) : list_(std::move(list)), rate_(rate) {}

    size_t size() const { return list_.size() + in_progress_.size(); }
    Iterator begin() const { return Iterator(*this, 0); }
    Iterator end() const { return Iterator(*this, size()); }
    MeasuredEntry operator[](size_t index) const
    {
        if (index >= list_.size())
            return in_progress_[index - list_.size()];
        MeasuredEntry entry = measured(list_[index], rate_);
        if (!waits_s_.empty())
            entry.wait_s = waits_s_[index];
        return entry;
    }

    // A call that is not in the file's entries yet.
    void push_back(const MeasuredEntry &entry) { in_progress_.push_back(entry); }

    // `judge(entry)` returns what is now known of its waiting.
    template <class Judge>
    void set_waits(Judge judge)
    {
        waits_s_.resize(list_.size());
        for (size_t i = 0; i < list_.size(); i++)
            waits_s_[i] = judge((*this)[i]);
        for (MeasuredEntry &entry : in_progress_)
            entry.wait_s = judge(entry);
    }

private:
    EntryList list_;
    TickRate rate_;
    std::vector<KnownSeconds> waits_s_;  // of `list_`; empty: nothing is known
    std::vector<MeasuredEntry> in_progress_;
};

}  // namespace mprof
