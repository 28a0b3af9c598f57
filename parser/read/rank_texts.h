// The texts of a rank file: keys and values, in the order of the file. Equal texts are shared with
// another rank. Most texts differ between nodes only, or not at all.
#pragma once

#include "read/tables/shared_table.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mprof {

class RankTexts {
public:
    using Pair = std::pair<std::string, std::string>;

    using PairView = std::pair<std::string_view, std::string_view>;

    RankTexts() = default;
    explicit RankTexts(std::vector<Pair> all) : shared_(std::move(all)) {}
    // If `other` has the same keys, only the values that differ are kept; it may be null.
    RankTexts(const std::vector<PairView> &all, const RankTexts *other);

    // "" when there is no such text.
    const std::string &find(std::string_view key) const;
    std::vector<Pair> all() const;
    bool is_shared_with(const RankTexts &other) const
    {
        return shared_.is_shared_with(other.shared_);
    }
    // As if it had been made with the other one.
    void share_with(const RankTexts &other);

private:
    struct Own {
        size_t place;  // index in `shared_`, whose value there belongs to another rank
        std::string value;
    };
    const std::string &value_at(size_t place) const;

    SharedTable<Pair> shared_;
    std::vector<Own> own_;
};

}  // namespace mprof
