// Threads that OpenMP knows are those of teams; of others it is known how much CPU time they had
// beside the thread that calls MPI.
#include "accounts/threads_account.h"

#include "report/derived_figures.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mprof {
namespace {

using Seconds = std::vector<double>;  // by rank, as report.ranks

// If all threads of a team did what one did alone, as far as there are CPUs. A thread that waits
// for a CPU is busy, too: together they had no more CPU time than the kernel says. 0: nobody has a
// team that is of use for more than a moment, or how busy its threads are is not known.
double team_saving_s(const RunTimes &times, const Report &report)
{
    double longest_s = 0, ideal_s = 0;
    bool has_team = false;
    for (const NodeTime &node : times.nodes) {
        double busy_s = 0, used_s = 0;
        for (size_t i = 0; i < node.ranks.size(); i++) {
            const RankRow &row = report.ranks[node.ranks[i].rank];
            const RankTime &time = node.whole[i];
            const double took_s = time.work_s + time.queue_s + time.team_s;
            const auto threads = static_cast<double>(row.team_threads.value_or(1));
            has_team = has_team || (threads > 1 && row.parallel_s.value_or(0) >=
                                                       verdict_thresholds.team_share * took_s);
            if (threads > 1 && !row.parallel_busy_s)
                return 0;
            const double of_rank_s = std::max(0.0, took_s - row.parallel_s.value_or(0)) +
                                     row.parallel_busy_s.value_or(0);
            longest_s = std::max(longest_s, took_s);
            ideal_s = std::max(ideal_s, of_rank_s / std::max(1.0, threads));
            busy_s += of_rank_s;
            used_s += row.user_s ? *row.user_s + row.system_s.value_or(0) : of_rank_s;
        }
        ideal_s = std::max(ideal_s, std::min(busy_s, used_s) / node.cpus);
    }
    return has_team ? std::max(0.0, longest_s - ideal_s) : 0;
}

// By rank: if its threads shared the work, as many as are busy at a time, and at least two. Nothing
// where OpenMP knows its threads, or where there is no CPU for a second one.
Seconds shared_threads_s(const RunTimes &times, const Report &report, bool crowded,
                         double (*others_of)(const RankRow &row))
{
    Seconds saves_s(report.ranks.size());
    const bool has_team =
        std::any_of(report.ranks.begin(), report.ranks.end(),
                    [](const RankRow &row) { return row.team_threads.value_or(1) > 1; });
    if (crowded || has_team)
        return saves_s;
    for (const NodeTime &node : times.nodes) {
        const double cpus = node.cpus / static_cast<double>(node.ranks.size());
        for (size_t i = 0; i < node.ranks.size(); i++) {
            const RankTime &time = node.whole[i];
            const RankRow &row = report.ranks[node.ranks[i].rank];
            const double took_s = time.work_s + time.team_s;
            const double busy_s = time.work_s + others_of(row);
            if (cpus < 2 || took_s <= 0 ||
                least_other_threads_s(row) < verdict_thresholds.shared_work_share * time.work_s)
                continue;
            const double threads = std::clamp(std::ceil(busy_s / took_s), 2.0, cpus);
            saves_s[node.ranks[i].rank] = std::max(0.0, took_s - busy_s / threads);
        }
    }
    return saves_s;
}

bool waits_for_threads(const RunTimes &times)
{
    return std::any_of(times.nodes.begin(), times.nodes.end(), [](const NodeTime &node) {
        return std::any_of(node.whole.begin(), node.whole.end(), [](const RankTime &time) {
            return time.team_s > verdict_thresholds.shared_work_share * time.work_s;
        });
    });
}

// Of the rank that takes longest.
double shorter_by(const RunTimes &times, const Seconds &saves_s)
{
    double longest_s = 0, left_s = 0;
    for (const NodeTime &node : times.nodes)
        for (size_t i = 0; i < node.ranks.size(); i++) {
            const double own_s = node.whole[i].own_s();
            longest_s = std::max(longest_s, own_s);
            left_s = std::max(left_s, own_s - saves_s[node.ranks[i].rank]);
        }
    return longest_s - left_s;
}

// On a crowded node a thread that lacks a CPU makes the others of its team wait: so long as it
// does, that is nothing of the program. Where one thread works alone, nobody waits for it.
double queue_of_teams_s(const RunTimes &times, const Report &report)
{
    double alone_s = 0;  // of the average rank, in regions that have one thread
    for (const ParallelRow &region : report.parallel_regions)
        alone_s +=
            region.threads == 1 ? region.time_s / static_cast<double>(report.ranks.size()) : 0;
    double queue_s = 0;
    for (const NodeTime &node : times.nodes)
        for (size_t i = 0; i < node.ranks.size(); i++) {
            const RankTime &time = node.whole[i];
            const double together_s =
                std::max(0.0, report.ranks[node.ranks[i].rank].parallel_s.value_or(0) - alone_s);
            const double took_s = time.work_s + time.queue_s + time.team_s;
            if (took_s > 0)
                queue_s = std::max(queue_s, time.queue_s * std::min(1.0, together_s / took_s));
        }
    return queue_s;
}

}  // namespace

ThreadsSaving find_threads_saving(const RunTimes &times, const Report &report,
                                  const Accounts &so_far)
{
    ThreadsSaving saving;
    Seconds shared_s = shared_threads_s(times, report, so_far.crowded, least_other_threads_s);
    if (std::accumulate(shared_s.begin(), shared_s.end(), 0.0) > 0) {
        saving.gain_s = shorter_by(times, shared_s);
        // A thread that only helps the first one looks alike, unless that waits for it.
        if (waits_for_threads(times))
            saving.low_s = shorter_by(
                times, shared_threads_s(times, report, so_far.crowded, most_other_threads_s));
        saving.by_rank_s = std::move(shared_s);
        return saving;
    }
    saving.gain_s = saving.low_s = std::clamp(team_saving_s(times, report), 0.0, so_far.span_s);
    if (so_far.other_threads > 0)
        saving.low_s = std::max(0.0, saving.gain_s - queue_of_teams_s(times, report));
    return saving;
}

}  // namespace mprof
