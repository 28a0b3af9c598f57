// Small pure functions: each is a line of the model.
#include "accounts/node_time.h"

#include "accounts/account_limits.h"

#include <algorithm>
#include <limits>

namespace mprof {
namespace {

double sum_of(const StretchTimes &stretch, double RankTime::*member)
{
    double sum = 0;
    for (const RankTime &time : stretch)
        sum += time.*member;
    return sum;
}

double transfer_without(const RankTime &time, double small_part, const Causes &gone)
{
    const double left = (has(gone, AccountKind::latency) ? 0 : small_part) +
                        (has(gone, AccountKind::bandwidth) ? 0 : 1 - small_part);
    return left * time.transfer_s;
}

// In the driver of its GPU.
double driver_without(const RankTime &time, const RankPart &rank, const Causes &gone,
                      const EvenWork &even)
{
    const bool is_even = has(gone, AccountKind::gpu_uneven) && !even.empty();
    const double launching = has(gone, AccountKind::gpu_launch) ? rank.launching : 0;
    return (is_even ? even[rank.program].gpu_s : gpu_without(time, gone)) +
           (1 - launching) * time.gpu_launch_s;
}

}  // namespace

void RankTime::add(const RankTime &other)
{
    work_s += other.work_s;
    queue_s += other.queue_s;
    blocked_s += other.blocked_s;
    transfer_s += other.transfer_s;
    files_s += other.files_s;
    quick_files_s += other.quick_files_s;
    team_s += other.team_s;
    wait_s += other.wait_s;
    gpu_wait_s += other.gpu_wait_s;
    gpu_copy_s += other.gpu_copy_s;
    gpu_launch_s += other.gpu_launch_s;
}

double makespan(std::vector<Need> ranks, double cpus, double other_threads, double keeps)
{
    double last_s = 0;
    if (static_cast<double>(ranks.size()) + other_threads <= cpus) {
        for (const Need &rank : ranks)
            last_s = std::max(last_s, rank.work_s + rank.other_s);
        return last_s;
    }
    std::sort(ranks.begin(), ranks.end(),
              [](const Need &a, const Need &b) { return a.work_s < b.work_s; });
    double at_s = 0, done_s = 0;
    for (size_t i = 0; i < ranks.size(); i++) {
        const double active =
            static_cast<double>(ranks.size() - i) + keeps * static_cast<double>(i);
        at_s += (ranks[i].work_s - done_s) / std::min(1.0, cpus / (active + other_threads));
        done_s = ranks[i].work_s;
        last_s = std::max(last_s, at_s + ranks[i].other_s);
    }
    return last_s;
}

double work_without(const RankTime &time, const RankPart &rank, const Causes &gone)
{
    double work_s = time.work_s;
    if (has(gone, AccountKind::kernel))
        work_s *= 1 - rank.kernel;
    if (has(gone, AccountKind::pickling))
        work_s *= 1 - rank.pickling;
    if (has(gone, AccountKind::slow_cpu))
        work_s *= rank.speed;
    return work_s;
}

double gpu_without(const RankTime &time, const Causes &gone)
{
    return (has(gone, AccountKind::gpu_wait) ? 0 : time.gpu_wait_s) +
           (has(gone, AccountKind::gpu_copy) ? 0 : time.gpu_copy_s);
}

Need need_without(const NodeTime &node, const RankTime &time, const RankPart &rank,
                  const Causes &gone, const EvenWork &even)
{
    Need need;
    need.work_s =
        has(gone, AccountKind::uneven) ? even[rank.program].work_s : work_without(time, rank, gone);
    need.other_s = time.team_s + transfer_without(time, node.small_part, gone) +
                   driver_without(time, rank, gone, even);
    if (!has(gone, AccountKind::blocked))
        need.other_s += time.blocked_s;
    if (has(gone, AccountKind::files))
        return need;
    need.work_s += time.quick_files_s;
    need.other_s += time.files_s - time.quick_files_s;
    return need;
}

double makespan_without(const NodeTime &node, const StretchTimes &stretch, const Causes &gone,
                        const EvenWork &even)
{
    const auto ranks = static_cast<double>(stretch.size());
    const double cpus = has(gone, AccountKind::few_cpus) ? std::max(node.cpus, ranks) : node.cpus;
    const double others = others_in(node, stretch, gone);
    // Nearly always; so the needs of all ranks are not put together.
    if (ranks + others <= cpus) {
        double last_s = 0;
        for (size_t i = 0; i < stretch.size(); i++) {
            const Need need = need_without(node, stretch[i], node.ranks[i], gone, even);
            last_s = std::max(last_s, need.work_s + need.other_s);
        }
        return last_s;
    }
    std::vector<Need> needs;
    needs.reserve(stretch.size());
    for (size_t i = 0; i < stretch.size(); i++)
        needs.push_back(need_without(node, stretch[i], node.ranks[i], gone, even));
    return makespan(std::move(needs), cpus, others, node.keeps);
}

double others_in(const NodeTime &node, const StretchTimes &stretch, const Causes &gone)
{
    const bool has_others =
        node.other_threads > 0 && !has(gone, AccountKind::other_program) && is_crowded(stretch);
    return has_others ? node.other_threads : 0;
}

bool is_crowded(const StretchTimes &stretch)
{
    const double queue_s = sum_of(stretch, &RankTime::queue_s);
    return queue_s > account_limits.crowded * (sum_of(stretch, &RankTime::work_s) + queue_s);
}

void count_late_as_blocked(StretchTimes &stretch)
{
    double usual = std::numeric_limits<double>::infinity();
    for (const RankTime &time : stretch)
        if (time.work_s > 0)
            usual = std::min(usual, time.queue_s / time.work_s);
    if (usual == std::numeric_limits<double>::infinity())
        usual = 0;
    if (usual > account_limits.crowded)
        return;
    for (RankTime &time : stretch) {
        const double more_s = time.queue_s - usual * time.work_s;
        const double moved_s = std::min(time.blocked_s, std::max(0.0, more_s));
        time.queue_s -= moved_s;
        time.blocked_s += moved_s;
    }
}

double longest_own_s(const StretchTimes &stretch)
{
    double longest_s = 0;
    for (const RankTime &time : stretch)
        longest_s = std::max(longest_s, time.own_s());
    return longest_s;
}

double find_kept_part(const NodeTime &node)
{
    if (node.polls)
        return 1;
    if (!is_crowded(node.whole))
        return 0;
    NodeTime gives = node, keeps = node;
    gives.keeps = 0;
    keeps.keeps = 1;
    const double least_s = makespan_without(gives, node.whole, {}, {});
    const double most_s = makespan_without(keeps, node.whole, {}, {});
    // Where all ranks work alike nobody waits while another one works.
    if (most_s <= (1 + account_limits.crowded) * least_s)
        return 0;
    return std::clamp((longest_own_s(node.whole) - least_s) / (most_s - least_s), 0.0, 1.0);
}

double find_other_threads(const StretchTimes &whole, double cpus, double team_s)
{
    const double work_s = sum_of(whole, &RankTime::work_s);
    const double queue_s = sum_of(whole, &RankTime::queue_s);
    double span_s = 0;
    for (const RankTime &time : whole)
        span_s = std::max(span_s, time.own_s() + time.wait_s);
    if (!is_crowded(whole) || work_s <= 0 || span_s <= 0)
        return 0;
    const double wait_s = sum_of(whole, &RankTime::wait_s);
    const double own_threads = std::max(1.0, (work_s + queue_s + team_s + wait_s) / span_s);
    const double others = cpus * (work_s + queue_s) / work_s - own_threads;
    return others >= account_limits.least_threads ? others : 0;
}

}  // namespace mprof
