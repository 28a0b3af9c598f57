// A thread without a CPU of its own cannot take over work, so only as many count as a rank has
// CPUs.
#include "verdict/thread_facts.h"

#include "accounts/node_facts.h"
#include "report/derived_figures.h"
#include "report/verdict_thresholds.h"
#include "verdict/work_place.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace mprof {
namespace {

// Of all ranks, the least: CPUs that it may use, divided by the ranks that may use the same.
double cpus_per_rank(const Report &report, double otherwise)
{
    std::map<std::pair<std::string, std::string>, double> sharing;
    for (const RankRow &row : report.ranks)
        sharing[{row.host, row.cpu_list}]++;
    double least = otherwise;
    for (const RankRow &row : report.ranks)
        if (row.cpus_allowed)
            least = std::min(least, static_cast<double>(*row.cpus_allowed) /
                                        sharing[{row.host, row.cpu_list}]);
    return least;
}

void find_uneven_place(const Report &report, double ranks, ThreadFacts &facts)
{
    for (const ParallelRow &row : report.parallel_regions) {
        const double uneven_s = row.imbalance_s.value_or(0) / ranks;
        if (uneven_s <= facts.place_uneven_s)
            continue;
        facts.place_uneven_s = uneven_s;
        facts.uneven_place = row.place;
        facts.place_balance = row.thread_balance.value_or(1);
    }
}

std::string region_words(const ParallelRow &row)
{
    return row.function.empty() ? row.place : fmt::format("{} ({})", row.function, row.place);
}

// Regions that ask for fewer threads: num_threads(), or an if() that is false.
void find_small_regions(const Report &report, double ranks, ThreadFacts &facts)
{
    double most_s = 0;
    for (const ParallelRow &row : report.parallel_regions) {
        const auto threads = static_cast<double>(row.threads);
        const double gain_s =
            std::max(0.0, row.time_s - row.mpi_s) / ranks * (1 - threads / facts.threads);
        if (row.threads == 0 || gain_s <= 0)
            continue;
        facts.small_gain_s += gain_s;
        if (gain_s <= most_s)
            continue;
        most_s = gain_s;
        facts.small_place = region_words(row);
        facts.small_place_s = row.time_s / ranks;
        facts.small_threads = row.threads;
    }
}

void find_turns(const Report &report, double ranks, ThreadFacts &facts)
{
    double most_s = 0;
    for (const ParallelRow &row : report.parallel_regions) {
        const double turns_s = row.in_turn_s();
        facts.turns_s += turns_s / ranks;
        if (turns_s <= most_s)
            continue;
        most_s = turns_s;
        facts.turns_place = region_words(row);
        facts.turns_lock = find_lock_place(report, row.function).words;
        facts.turns_threads = row.busy_threads.value_or(0);
    }
}

void find_starts(const Report &report, double ranks, ThreadFacts &facts)
{
    double most_s = 0;
    for (const ParallelRow &row : report.parallel_regions) {
        const double starting_s = row.starting_s();
        facts.starts_s += starting_s / ranks;
        if (starting_s <= most_s)
            continue;
        most_s = starting_s;
        facts.starts_place = region_words(row);
        facts.starts = row.regions;
    }
}

// Regions whose threads run tasks that nobody sees. The one that takes longest stands for them.
void find_tasks(const Report &report, double ranks, ThreadFacts &facts)
{
    const ParallelRow *longest = nullptr;
    for (const ParallelRow &row : report.parallel_regions)
        if (!row.busy_s && (longest == nullptr || row.time_s > longest->time_s))
            longest = &row;
    if (longest == nullptr || report.openmp.busy_threads)
        return;
    facts.tasks_place = region_words(*longest);
    for (const RankRow &row : report.ranks)
        if (row.parallel_s && row.parallel_busy_s && row.team_threads)
            facts.tasks_s +=
                std::max(0.0, *row.parallel_s -
                                  *row.parallel_busy_s / static_cast<double>(*row.team_threads)) /
                ranks;
}

void find_own_threads(const Report &report, ThreadFacts &facts)
{
    for (const RankRow &row : report.ranks) {
        const double main_s = work_s(row), others_s = least_other_threads_s(row);
        const double blocked_s = row.blocked_s.value_or(0);
        const double waits_s = team_part(row, blocked_s) * blocked_s;
        if (others_s < verdict_thresholds.shared_work_share * main_s ||
            main_s + waits_s <= facts.main_s + facts.main_waits_s)
            continue;
        facts.main_s = main_s;
        facts.main_waits_s = waits_s;
        facts.others_s = others_s;
        facts.main_rank = row.rank;
    }
}

}  // namespace

ThreadFacts gather_thread_facts(const Report &report)
{
    ThreadFacts facts;
    const OpenmpFacts &openmp = report.openmp;
    const auto ranks = static_cast<double>(report.ranks.size());
    if (!openmp.threads || *openmp.threads < 2 || report.totals.wallclock_s <= 0) {
        find_own_threads(report, facts);
        return facts;
    }
    const auto team = static_cast<double>(*openmp.threads);
    facts.threads = std::max(1.0, std::min(team, cpus_per_rank(report, team)));
    // What is blocked or has no CPU gains nothing by more threads.
    const double off_s =
        (report.totals.blocked_s.value_or(0) + report.totals.contention_s.value_or(0)) / ranks;
    facts.serial_s = std::max(0.0, openmp.serial_s.value_or(0) - off_s);
    facts.serial_gain_s = facts.serial_s * (1 - 1 / facts.threads);
    facts.uneven_s = openmp.imbalance_s.value_or(0);
    find_uneven_place(report, ranks, facts);
    find_small_regions(report, ranks, facts);
    find_turns(report, ranks, facts);
    find_starts(report, ranks, facts);
    find_tasks(report, ranks, facts);
    return facts;
}

}  // namespace mprof
