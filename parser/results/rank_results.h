// The hashes of one rank in two runs, laid side by side.
//
// A group is what both runs can be compared in: a single hash, or the sum of several whose numbers
// in the channel follow each other (mprof_result). If one run was folded more often than the other
// one, the finer hashes are added up.
#pragma once

#include "read/rank_file.h"

#include <compare>
#include <map>
#include <optional>
#include <vector>

namespace mprof {

struct ResultKey {
    uint16_t kind = 0;
    uint16_t communicator = 0;
    uint32_t rank = 0, tag = 0;
    uint16_t part = 0;  // BEFORE, REST or MIXED of mprof_result_flags
    uint64_t group = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
    auto operator<=>(const ResultKey &other) const = default;
};

struct ResultGroup {
    // With hash and count of all, the rest of the first one; count 0 = not there.
    mprof_result a{}, b{};

    bool same_calls() const { return a.count == b.count; }
    bool differs() const { return !same_calls() || a.hash != b.hash; }
    const mprof_result &first() const { return a.count > 0 ? a : b; }
    uint64_t place() const { return first().place; }
    bool is_interval() const { return a.count > 1 || b.count > 1; }
};

class RankResults {
public:
    RankResults(const RankFile &a, const RankFile &b);

    const RankFile &file_a() const { return *a_; }
    const RankFile &file_b() const { return *b_; }
    const std::map<ResultKey, ResultGroup> &groups() const { return groups_; }
    // A group has the numbers from `group` << level on, 1 << level of them.
    uint32_t level() const { return level_; }
    // Does a group of the same channel that has one of these numbers differ?
    bool differs(ResultKey key, uint64_t first_number, uint64_t last_number) const;
    // The first group that differs, or nullptr.
    const std::pair<const ResultKey, ResultGroup> *first() const { return first_; }

private:
    void add(const RankFile &file, mprof_result ResultGroup::*side);

    const RankFile *a_, *b_;
    uint32_t level_;
    std::map<ResultKey, ResultGroup> groups_;
    const std::pair<const ResultKey, ResultGroup> *first_ = nullptr;
};

inline bool is_given(uint16_t kind)
{
    return kind == MPROF_RESULT_SENT || kind == MPROF_RESULT_GIVEN || kind == MPROF_RESULT_REDUCING;
}

}  // namespace mprof
