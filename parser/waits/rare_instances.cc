// Few instances of a collective that somebody is far later for than for the others: a step in which
// a rank has more to do, once in a while. collective_waits.cc asks for each place.
//
// Rare are at most a fifth of the instances, so the one behind that fifth says what is usual. What
// is late by less than some steps is how ranks differ anyway: the mean step has the rare ones in
// it, so the more of them there are, the farther they must stand out. A single one is no pattern.
#include "report/verdict_thresholds.h"
#include "waits/wait_parts.h"

#include <algorithm>

namespace mprof {
namespace {

// Most of the first `count`; nobody: no rank has.
size_t who_is_late(const std::vector<LateInstance> &late, size_t count, double sum_s)
{
    std::map<size_t, double> of;
    for (size_t i = 0; i < count; i++)
        of[late[i].last] += late[i].late_s;
    for (const auto &[last, seconds] : of)
        if (last != nobody && seconds >= rare_limits.rank_share * sum_s)
            return last;
    return nobody;
}

}  // namespace

RareInstances find_rare_instances(std::vector<LateInstance> late, uint64_t instances, double mean_s)
{
    if (instances < rare_limits.instances)
        return {};
    std::sort(late.begin(), late.end(),
              [](const LateInstance &a, const LateInstance &b) { return a.late_s > b.late_s; });
    const auto most = static_cast<size_t>(rare_limits.share * static_cast<double>(instances));
    const double usual_s = late.size() > most ? late[most].late_s : 0;
    const double least_s =
        std::max(rare_limits.usual_factor * usual_s, rare_limits.step_factor * mean_s);
    double sum_s = 0, rare_s = 0;
    size_t count = 0;
    for (const LateInstance &instance : late) {
        sum_s += instance.late_s;
        if (instance.late_s >= least_s) {
            rare_s += instance.late_s;
            count++;
        }
    }
    if (count < rare_limits.rare || count > most || rare_s < rare_limits.wait_share * sum_s)
        return {};
    return {static_cast<double>(count), static_cast<double>(instances), late[count / 2].late_s,
            rare_s, who_is_late(late, count, rare_s)};
}

}  // namespace mprof
