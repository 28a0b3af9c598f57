// What hardly any rank has: a value, or the rows of a table. Of the other ranks it takes one word,
// and reads as empty: the tables of GPUs alone would take 300 bytes of each of 100,000 ranks.
//
// On one thread while it is changed, as a value itself.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mprof {

template <class T>
class Rare {
public:
    Rare() = default;
    Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Rare(const Rare &other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Rare(Rare &&other) noexcept = default;
    Rare &operator=(Rare other) noexcept
    {
        value_.swap(other.value_);
        return *this;
    }
    ~Rare() = default;

    bool has_value() const { return value_ != nullptr; }
    const T &operator*() const
    {
        static const T none{};
        return value_ ? *value_ : none;
    }
    const T *operator->() const { return &**this; }
    // To change it; from now on there is one.
    T &own()
    {
        if (!value_)
            value_ = std::make_unique<T>();
        return *value_;
    }

private:
    std::unique_ptr<T> value_;
};

template <class Row>
class RareTable {
public:
    RareTable() = default;
    RareTable(std::vector<Row> rows)
    {
        if (!rows.empty())
            rows_ = std::move(rows);
    }

    const std::vector<Row> &rows() const { return *rows_; }
    auto begin() const { return rows().begin(); }
    auto end() const { return rows().end(); }
    size_t size() const { return rows().size(); }
    bool empty() const { return rows().empty(); }
    const Row &operator[](size_t index) const { return rows()[index]; }
    const Row &front() const { return rows().front(); }

private:
    Rare<std::vector<Row>> rows_;
};

}  // namespace mprof
