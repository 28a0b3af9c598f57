#include "results/rank_results.h"

#include <algorithm>

namespace mprof {
namespace {

constexpr unsigned extreme_parts = MPROF_RESULT_BEFORE | MPROF_RESULT_REST | MPROF_RESULT_MIXED;

ResultKey key_of(const mprof_result &result, uint32_t level)
{
    ResultKey key{.kind = result.kind,
                  .communicator = result.communicator,
                  .rank = result.rank,
                  .tag = result.tag,
                  .part = static_cast<uint16_t>(result.flags & extreme_parts)};
    if (key.part == 0)
        key.group = result.number >> level;
    return key;
}

void add_to(mprof_result &sum, const mprof_result &result)
{
    if (sum.count == 0) {
        sum = result;
        return;
    }
    const uint64_t hash = sum.hash + result.hash;
    const uint32_t count = sum.count + result.count;
    const auto flags = static_cast<uint16_t>(sum.flags | result.flags);
    if (result.place < sum.place)
        sum = result;
    sum.hash = hash;
    sum.count = count;
    sum.flags = flags;
}

}  // namespace

void RankResults::add(const RankFile &file, mprof_result ResultGroup::*side)
{
    for (const mprof_result &result : file.result_hashes)
        add_to(groups_[key_of(result, level_)].*side, result);
}

RankResults::RankResults(const RankFile &a, const RankFile &b)
    : a_(&a), b_(&b), level_(std::max(a.results->level, b.results->level))
{
    add(a, &ResultGroup::a);
    add(b, &ResultGroup::b);
    for (const auto &group : groups_)
        if (group.second.differs() &&
            (first_ == nullptr || group.second.place() < first_->second.place()))
            first_ = &group;
}

bool RankResults::differs(ResultKey key, uint64_t first_number, uint64_t last_number) const
{
    key.group = first_number >> level_;
    for (auto at = groups_.lower_bound(key); at != groups_.end(); ++at) {
        key.group = at->first.group;
        if (at->first != key || key.group > last_number >> level_)
            return false;
        if (at->second.differs())
            return true;
    }
    return false;
}

}  // namespace mprof
