// A table of records in little memory: a record is kept as what differs from the record before it.
// Of a hundred thousand ranks, most tables are read once or twice and only in their order.
//
//   table = PackedTable<mprof_partner>(records);
//   for (const mprof_partner &partner : table)
//
// A record exists as long as the iterator stands on it. The content never changes, so several
// threads may read it.
//
// Four words of 32 bits have a byte that tells, in two bits each, how many bytes of their
// difference follow: none, one, two or four. A difference of either sign is a small number (0, -1,
// 1, -2 ...). Records of time bins take about a quarter of their size, the others less.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace mprof {

// What is the same for all kinds of records. `words` are those of one record.
class PackedWords {
public:
    // `records` of so many words each, one behind the other.
    static std::vector<uint8_t> pack(const uint32_t *records, size_t count, size_t words);
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
        std::vector<uint32_t> raw(records.size() * words);
        std::memcpy(raw.data(), records.data(), records.size() * sizeof(Record));
        const std::vector<uint8_t> packed = PackedWords::pack(raw.data(), records.size(), words);
        set({static_cast<uint32_t>(records.size()), static_cast<uint32_t>(packed.size())},
            packed.data());
    }
    PackedTable(PackedTable &&) noexcept = default;
    PackedTable &operator=(PackedTable &&) noexcept = default;
    PackedTable(const PackedTable &other)
    {
        if (other.memory_)
            set(other.head(), other.begin_of_records());
    }
    PackedTable &operator=(const PackedTable &other)
    {
        *this = PackedTable(other);
        return *this;
    }
    ~PackedTable() = default;

    size_t size() const { return memory_ ? head().count : 0; }
    bool empty() const { return !memory_; }
    Iterator begin() const
    {
        return memory_ ? Iterator(begin_of_records(), head().count) : Iterator(nullptr, 0);
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
    void clear() { memory_.reset(); }

private:
    struct Head {
        uint32_t count = 0, bytes = 0;
    };

    Head head() const
    {
        Head head;
        std::memcpy(&head, memory_.get(), sizeof head);
        return head;
    }
    const uint8_t *begin_of_records() const { return memory_.get() + sizeof(Head); }
    void set(const Head &head, const uint8_t *packed)
    {
        memory_ = std::make_unique_for_overwrite<uint8_t[]>(sizeof head + head.bytes);
        std::memcpy(memory_.get(), &head, sizeof head);
        std::memcpy(memory_.get() + sizeof head, packed, head.bytes);
    }

    std::unique_ptr<uint8_t[]> memory_;  // a Head and the packed records; none: no record
};

}  // namespace mprof
