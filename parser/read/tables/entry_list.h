// The entries of one rank, in half the memory that a vector of them takes. Of a hundred thousand
// ranks they are the largest part of all that is in memory.
//
//   list = EntryList(entries, lists);
//   for (const mprof_entry &entry : list)     made anew for each step: keep a copy, no address
//
// Two things make it small. Ranks that did the same share one list of keys. Bytes are mostly size
// times calls, so they are kept only where they are not. The content never changes, so several
// threads may read it.
#pragma once

#include "mprof/format/format.h"
#include "read/tables/shared_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <tuple>
#include <vector>

namespace mprof {

struct EntryKey {
    uint64_t size = 0;
    uint32_t callsite = 0;
    uint16_t function = 0, region = 0, communicator = 0;
    uint8_t kind = 0, precision = 0;

    bool operator==(const EntryKey &other) const = default;
};

inline EntryKey key_of_entry(const mprof_entry &entry)
{
    return {.size = entry.size,
            .callsite = entry.callsite,
            .function = entry.function,
            .region = entry.region,
            .communicator = entry.communicator,
            .kind = entry.kind,
            .precision = entry.precision};
}

// The order in which entries are added up. Those with equal keys are neighbours.
inline auto order_of_entry(const mprof_entry &e)
{
    return std::tuple(e.function, e.kind, e.precision, e.size, e.communicator, e.region,
                      e.callsite);
}
void sort_entries(std::vector<mprof_entry> &entries);

// Lists of keys of ranks that were seen before. Any thread may ask.
class KeyLists {
public:
    SharedTable<EntryKey> shared(std::vector<EntryKey> keys);

private:
    // A list takes the place of the one before it with the same hash.
    static constexpr size_t most_lists = 1024;

    std::mutex mutex_;
    std::vector<SharedTable<EntryKey>> lists_ = std::vector<SharedTable<EntryKey>>(most_lists);
};

class EntryList {
    // What the key does not tell.
    struct Values {
        uint32_t calls = 0;
        uint32_t large = 0;  // 0, or 1 + index in large_, which has calls and bytes then
        uint64_t ticks = 0;
        std::array<uint64_t, 2> ends{};  // min_ticks and max_ticks, or span_ticks and its MPI part
    };
    struct Large {
        uint64_t calls = 0, bytes = 0;
    };

public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = mprof_entry;
        using difference_type = std::ptrdiff_t;
        using pointer = const mprof_entry *;
        using reference = mprof_entry;

        Iterator(const EntryList &list, size_t index) : list_(&list), index_(index) {}
        mprof_entry operator*() const { return (*list_)[index_]; }
        Iterator &operator++()
        {
            index_++;
            return *this;
        }
        bool operator==(const Iterator &other) const { return index_ == other.index_; }

    private:
        const EntryList *list_;
        size_t index_;
    };

    EntryList() = default;
    EntryList(const std::vector<mprof_entry> &entries, KeyLists &lists);

    size_t size() const { return values_.size(); }
    bool empty() const { return values_.empty(); }
    Iterator begin() const { return Iterator(*this, 0); }
    Iterator end() const { return Iterator(*this, size()); }
    mprof_entry operator[](size_t index) const
    {
        const EntryKey &key = keys_[index];
        const Values &values = values_[index];
        const bool is_large = values.large != 0;
        mprof_entry entry{};
        entry.size = key.size;
        entry.function = key.function;
        entry.region = key.region;
        entry.communicator = key.communicator;
        entry.kind = key.kind;
        entry.precision = key.precision;
        entry.callsite = key.callsite;
        entry.in_use = 1;
        entry.calls = is_large ? large_[values.large - 1].calls : values.calls;
        entry.bytes = is_large ? large_[values.large - 1].bytes : usual_bytes(key, values.calls);
        entry.ticks = values.ticks;
        entry.min_ticks = values.ends[0];
        entry.max_ticks = values.ends[1];
        return entry;
    }

private:
    static uint64_t usual_bytes(const EntryKey &key, uint64_t calls)
    {
        return key.kind == MPROF_KIND_COMPLETION ? 0 : key.size * calls;
    }

    SharedTable<EntryKey> keys_;
    std::vector<Values> values_;  // one of each key
    std::vector<Large> large_;
};

}  // namespace mprof
