// Work is divided among all ranks of a program, on whatever node they are.
#include "accounts/whole_run.h"

#include <algorithm>

namespace mprof {

WholeRun::WholeRun(const std::vector<NodeTime> &nodes) : nodes_(nodes)
{
    for (const NodeTime &node : nodes) {
        longest_s_ = std::max(longest_s_, longest_own_s(node.whole));
        for (const RankTime &time : node.whole)
            all_s_ = std::max(all_s_, time.own_s() + time.wait_s);
        for (const RankPart &rank : node.ranks)
            programs_ = std::max<size_t>(programs_, rank.program + 1);
    }
    first_model_s_ = model_s({});
}

EvenWork WholeRun::even_without(const Causes &gone) const
{
    ProgramWork work(programs_);
    for (const NodeTime &node : nodes_)
        for (size_t i = 0; i < node.ranks.size(); i++)
            work[node.ranks[i].program].add(work_without(node.whole[i], node.ranks[i], gone),
                                            node.ranks[i].rank, gpu_without(node.whole[i], gone));
    return even_work(work);
}

double WholeRun::model_s(const Causes &gone) const
{
    const auto [at, is_new] = models_s_.try_emplace(gone.to_ulong());
    if (is_new)
        at->second = longest_without_s(gone);
    return at->second;
}

double WholeRun::longest_without_s(const Causes &gone) const
{
    const bool is_even = has(gone, AccountKind::uneven) || has(gone, AccountKind::gpu_uneven);
    const EvenWork even = is_even ? even_without(gone) : EvenWork();
    double longest_s = 0;
    for (const NodeTime &node : nodes_)
        longest_s = std::max(longest_s, makespan_without(node, node.whole, gone, even));
    return longest_s;
}

double WholeRun::busy_s(const Causes &gone) const
{
    return first_model_s_ > 0 ? longest_s_ * model_s(gone) / first_model_s_ : longest_s_;
}

double WholeRun::saves_s(const Causes &gone) const
{
    return std::max(0.0, longest_s_ - busy_s(gone));
}

}  // namespace mprof
