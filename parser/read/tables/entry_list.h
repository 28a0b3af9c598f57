// A table that is equal on many ranks and kept once. Lists of functions, call sites and modules
// hardly differ between ranks, and 100,000 copies would fill the memory.
//
// The content never changes once it is set, so that several ranks can share it on any thread.
#pragma once

#include "mprof/format/format.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace mprof {

template <class Row>
class SharedTable {
public:
    SharedTable() = default;
    SharedTable(std::vector<Row> rows)
        : rows_(std::make_shared<const std::vector<Row>>(std::move(rows)))
    {
    }

    const std::vector<Row> &rows() const
    {
        static const std::vector<Row> none;
        return rows_ ? *rows_ : none;
    }
    auto begin() const { return rows().begin(); }
    auto end() const { return rows().end(); }
    size_t size() const { return rows().size(); }
    bool empty() const { return rows().empty(); }
    const Row &operator[](size_t index) const { return rows()[index]; }
    bool operator==(const SharedTable &other) const
    {
        return rows_ == other.rows_ || rows() == other.rows();
    }

    // Without looking at the rows. Tables that nothing was read into are shared.
    bool is_shared_with(const SharedTable &other) const { return rows_ == other.rows_; }
    // If the other one holds the same, it is kept in its place.
    void share_with(const SharedTable &other)
    {
        if (*this == other)
            rows_ = other.rows_;
    }

private:
    std::shared_ptr<const std::vector<Row>> rows_;
};

// The entries of one rank, in half the memory that a vector of them takes. Of a hundred thousand
// ranks they are the largest part of all that is in memory.
//
//   list = EntryList(entries, lists);
//   for (const mprof_entry &entry : list)     made anew for each step: keep a copy, no address
//
// Two things make it small. Ranks that did the same share one list of keys. Bytes are mostly size
// times calls, so they are kept only where they are not.

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
public:
    // Ticks, until the rank is measured in place (measure/measured_entries.h).
    union Amount {
        uint64_t ticks = 0;
        double seconds;
    };
    // What the key does not tell.
    struct Values {
        uint32_t calls = 0;
        uint32_t large = 0;  // 0, or 1 + index in large(), which has both counts then
        Amount time;
        std::array<Amount, 2> ends;  // shortest and longest, or span and its MPI part
    };
    struct Counts {
        uint64_t calls = 0, bytes = 0;
    };

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = mprof_entry;
        using difference_type = std::ptrdiff_t;
        using pointer = const mprof_entry *;
        using reference = mprof_entry;

        Iterator() = default;
        Iterator(const EntryKey *key, const Values *values, const Counts *large)
            : key_(key), values_(values), large_(large)
        {
        }
        mprof_entry operator*() const
        {
            mprof_entry entry{};
            entry.size = key_->size;
            entry.function = key_->function;
            entry.region = key_->region;
            entry.communicator = key_->communicator;
            entry.kind = key_->kind;
            entry.precision = key_->precision;
            entry.callsite = key_->callsite;
            entry.in_use = 1;
            const Counts counts = counts_of(*key_, *values_, large_);
            entry.calls = counts.calls;
            entry.bytes = counts.bytes;
            entry.ticks = values_->time.ticks;
            entry.min_ticks = values_->ends[0].ticks;
            entry.max_ticks = values_->ends[1].ticks;
            return entry;
        }
        Iterator &operator++()
        {
            key_++;
            values_++;
            return *this;
        }
        Iterator operator+(size_t steps) const
        {
            return Iterator(key_ + steps, values_ + steps, large_);
        }
        bool operator==(const Iterator &other) const { return values_ == other.values_; }

    private:
        const EntryKey *key_ = nullptr;
        const Values *values_ = nullptr;
        const Counts *large_ = nullptr;
    };

    EntryList() = default;
    EntryList(const std::vector<mprof_entry> &entries, KeyLists &lists);

    size_t size() const { return values_.size(); }
    bool empty() const { return values_.empty(); }
    Iterator begin() const { return Iterator(keys(), values_.data(), large()); }
    Iterator end() const { return begin() + size(); }
    mprof_entry operator[](size_t index) const { return *(begin() + index); }

    // What Iterator puts together, for who does so otherwise. One of `values` for each key.
    const EntryKey *keys() const { return keys_.rows().data(); }
    const std::vector<Values> &values() const { return values_; }
    std::vector<Values> &values() { return values_; }
    const Counts *large() const { return large_.data(); }
    Counts *large() { return large_.data(); }
    static Counts counts_of(const EntryKey &key, const Values &values, const Counts *large)
    {
        if (values.large != 0)
            return large[values.large - 1];
        return {values.calls, usual_bytes(key, values.calls)};
    }

private:
    static uint64_t usual_bytes(const EntryKey &key, uint64_t calls)
    {
        return key.kind == MPROF_KIND_COMPLETION ? 0 : key.size * calls;
    }

    SharedTable<EntryKey> keys_;
    std::vector<Values> values_;
    std::vector<Counts> large_;
};

}  // namespace mprof
