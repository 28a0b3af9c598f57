// A table of records in little memory: a record is kept as what differs from the record before it.
// Of a hundred thousand ranks, most tables are read once or twice and only in their order.
//
//   table = PackedTable<mprof_partner>(records);
//   for (const mprof_partner &partner : table)
//
// A record exists as long as the iterator is at it. The content never changes, so several
// threads may read it.
//
// Four words of 32 bits have a byte that tells, in two bits each, how many bytes of their
// difference follow: none, one, two or four. A difference of either sign is a small number (0, -1,
// 1, -2 ...). Records of time bins take about a quarter of their size, the others less.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace mprof {

// Memory for packed tables of many ranks that are given up together. Tables that are freed one by
// one leave holes between what is kept, and nothing else fits into them.
//
// Of one thread. What was taken is valid until the pool goes.
class PackedPool {
public:
    uint8_t *take(size_t bytes)
    {
        if (bytes > left_) {
            left_ = std::max(bytes, piece_bytes);
            pieces_.push_back(std::make_unique_for_overwrite<uint8_t[]>(left_));
            next_ = pieces_.back().get();
        }
        uint8_t *taken = next_;
        next_ += bytes;
        left_ -= bytes;
        return taken;
    }

private:
    static constexpr size_t piece_bytes = size_t{1} << 20U;  // goes back to the system when freed

    std::vector<std::unique_ptr<uint8_t[]>> pieces_;
    uint8_t *next_ = nullptr;
    size_t left_ = 0;
};

// What is the same for all kinds of records. `words` are those of one record.
class PackedWords {
public:
    // What so many records of so many words take at most, and the room that pack() needs.
    static size_t most_bytes(size_t count, size_t words);
    // `records`, one behind the other, into `packed`; returns how many bytes they take there.
    static size_t pack(const void *records, size_t count, size_t words, uint8_t *packed);
    // Makes the record before the next one; returns where the one behind it begins.
    static const uint8_t *next(const uint8_t *packed, uint32_t *record, size_t words);
};

template <class Record>
class PackedTable {
    static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(uint32_t) == 0);
    static constexpr size_t words = sizeof(Record) / sizeof(uint32_t);

public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Record;
        using difference_type = std::ptrdiff_t;
        using pointer = const Record *;
        using reference = const Record &;

        Iterator(const uint8_t *packed, uint32_t left) : packed_(packed), left_(left) { take(); }
        const Record &operator*() const { return record_; }
        const Record *operator->() const { return &record_; }
        Iterator &operator++()
        {
            left_--;
            take();
            return *this;
        }
        bool operator==(const Iterator &other) const { return left_ == other.left_; }

    private:
        void take()
        {
            if (left_ == 0)
                return;
            std::array<uint32_t, words> raw;
            std::memcpy(raw.data(), &record_, sizeof record_);
            packed_ = PackedWords::next(packed_, raw.data(), words);
            std::memcpy(static_cast<void *>(&record_), raw.data(), sizeof record_);
        }

        const uint8_t *packed_;
        uint32_t left_;
        Record record_{};
    };

    PackedTable() = default;
    PackedTable(const std::vector<Record> &records)
    {
        if (records.empty())
            return;
        const auto packed = std::make_unique_for_overwrite<uint8_t[]>(
            PackedWords::most_bytes(records.size(), words));
        const size_t bytes = PackedWords::pack(records.data(), records.size(), words, packed.get());
        set(records.size(), bytes, packed.get());
    }
    PackedTable(PackedTable &&other) noexcept { swap(other); }
    PackedTable &operator=(PackedTable &&other) noexcept
    {
        PackedTable taken(std::move(other));
        swap(taken);
        return *this;
    }
    PackedTable(const PackedTable &other)
    {
        if (!other.empty())
            set(other.head().count, other.head().bytes, other.begin_of_records());
    }
    PackedTable &operator=(const PackedTable &other)
    {
        PackedTable copy(other);
        swap(copy);
        return *this;
    }
    ~PackedTable() { clear(); }

    size_t size() const { return empty() ? 0 : head().count; }
    bool empty() const { return memory_ == nullptr; }
    Iterator begin() const
    {
        return empty() ? Iterator(nullptr, 0) : Iterator(begin_of_records(), head().count);
    }
    Iterator end() const { return Iterator(nullptr, 0); }
    std::vector<Record> all() const
    {
        std::vector<Record> records;
        records.reserve(size());
        for (const Record &record : *this)
            records.push_back(record);
        return records;
    }
    // Goes through those before it.
    Record operator[](size_t index) const
    {
        Iterator at = begin();
        std::advance(at, static_cast<std::ptrdiff_t>(index));
        return *at;
    }
    void clear()
    {
        if (!empty() && !head().in_pool)
            delete[] memory_;
        memory_ = nullptr;
    }
    // From now on this table, but not its copies, must go before the pool goes.
    void move_into(PackedPool &pool)
    {
        if (empty() || head().in_pool)
            return;
        Head moved = head();
        uint8_t *memory = pool.take(sizeof moved + moved.bytes);
        std::memcpy(memory, memory_, sizeof moved + moved.bytes);
        clear();
        moved.in_pool = true;
        std::memcpy(memory, &moved, sizeof moved);
        memory_ = memory;
    }

private:
    struct Head {
        uint32_t count = 0;
        uint32_t bytes : 31 = 0;
        bool in_pool : 1 = false;
    };

    void swap(PackedTable &other) { std::swap(memory_, other.memory_); }
    Head head() const
    {
        Head head;
        std::memcpy(&head, memory_, sizeof head);
        return head;
    }
    const uint8_t *begin_of_records() const { return memory_ + sizeof(Head); }
    void set(size_t count, size_t bytes, const uint8_t *packed)
    {
        Head head;
        head.count = static_cast<uint32_t>(count);
        head.bytes = static_cast<uint32_t>(bytes) & 0x7fffffffU;
        memory_ = new uint8_t[sizeof head + bytes];
        std::memcpy(memory_, &head, sizeof head);
        std::memcpy(memory_ + sizeof head, packed, bytes);
    }

    uint8_t *memory_ = nullptr;  // a Head and the packed records; nullptr: no record
};

}  // namespace mprof
