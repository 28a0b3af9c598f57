// A table that is equal on many ranks and kept once. Lists of functions, call sites and modules
// hardly differ between ranks, and 100,000 copies would fill the memory.
//
// The content never changes once it is set, so that several ranks can share it on any thread.
#pragma once

#include <memory>
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

}  // namespace mprof
