// What keeps ranks off the CPU is told by what the job itself has running: its CPU time says how
// many CPUs a rank keeps busy.
#include "verdict/off_cpu_facts.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "verdict/work_place.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof {
namespace {

const RankRow &most_of(const Report &report, KnownSeconds RankRow::*part)
{
    return *std::max_element(report.ranks.begin(), report.ranks.end(),
                             [part](const RankRow &a, const RankRow &b) {
                                 return (a.*part).value_or(0) < (b.*part).value_or(0);
                             });
}

double process_s(const RankRow &row)
{
    return row.user_s.value_or(0) + row.system_s.value_or(0);
}

// Do other threads of the process use much CPU time, beside the one that calls MPI?
bool has_busy_threads(const RankRow &row)
{
    const double thread_s = row.on_cpu_s.value_or(0);
    return process_s(row) - thread_s - row.mpi_thread_s >=
           cause_limits.busy_threads_share * thread_s;
}

// Threads of OpenMP, or the one that calls MPI.
double team_of(const RankRow &row)
{
    return static_cast<double>(std::max<uint64_t>(1, row.team_threads.value_or(1)));
}

// Do the job's own processes keep the CPUs busy that the rank may use? If not, whoever else has
// them is another program.
bool fills_its_cpus(const Report &report, const RankRow &rank)
{
    double node_s = 0, node_threads = 0;
    for (const RankRow &row : report.ranks) {
        node_s += row.host == rank.host ? process_s(row) : 0;
        node_threads += row.host == rank.host ? team_of(row) : 0;
    }
    const auto node = std::find_if(report.nodes.begin(), report.nodes.end(),
                                   [&](const NodeRow &each) { return each.host == rank.host; });
    const double node_cpus = node == report.nodes.end() ? 0 : node->usable_cpus;
    const auto rank_cpus = static_cast<double>(rank.cpus_allowed.value_or(0));
    // Teams that fit do not crowd the CPUs, unless there are threads that OpenMP knows nothing of.
    const auto fit = [](double threads, double cpus) { return cpus <= 0 || threads <= cpus; };
    const bool teams_fit =
        team_of(rank) > 1 && fit(team_of(rank), rank_cpus) && fit(node_threads, node_cpus);
    const auto are_filled = [&](double cpus, double used_s) {
        return cpus > 0 && used_s >= (teams_fit ? cause_limits.filled_by_teams_share
                                                : cause_limits.filled_share) *
                                         cpus * rank.wallclock_s;
    };
    if (rank_cpus <= 0 && node_cpus <= 0)
        return true;  // nothing speaks against it
    return are_filled(rank_cpus, process_s(rank)) || are_filled(node_cpus, node_s);
}

bool has_more_threads_than_cpus(const RankRow &row)
{
    return row.cpus_allowed && row.team_threads.value_or(0) > *row.cpus_allowed;
}

// Does the quota of its control group explain half of what the rank lacks a CPU? The kernel counts
// the time by CPU and by period; some versions count little of it, but each period in which the
// group was stopped.
bool is_stopped_by_quota(const RankRow &rank)
{
    constexpr double period_s = 0.1;  // what nobody changes
    const double periods_s = period_s * static_cast<double>(rank.throttles.value_or(0));
    const double stopped_s = rank.throttled_s.value_or(0);
    return stopped_s > 0 && std::max(stopped_s, periods_s) * 2 > rank.contention_s.value_or(0);
}

// "the CPU quota of the control group on vm (0.30 CPUs) stopped the ranks in 26 periods, for 1.2 s
// summed over CPUs"
std::string quota_words(const Report &report, const RankRow &rank)
{
    std::string limit;
    for (const NodeRow &node : report.nodes)
        if (node.host == rank.host)
            for (const auto &[name, value] : node.facts)
                if (name == "cgroup_cpus")
                    limit = fmt::format(" ({} CPUs)", value);
    const std::string periods =
        rank.throttles ? " in " + spoken_plural(*rank.throttles, "period") : "";
    return fmt::format("the CPU quota of the control group on {}{} stopped the ranks{}, for {} "
                       "summed over CPUs",
                       rank.host, limit, periods, duration_text(*rank.throttled_s));
}

void find_who(const Report &report, const RankRow &rank, OffCpuFacts &facts)
{
    const bool crowded =
        std::any_of(report.nodes.begin(), report.nodes.end(),
                    [&](const NodeRow &node) { return node.host == rank.host && node.crowded; });
    const auto ranks = static_cast<uint64_t>(
        std::count_if(report.ranks.begin(), report.ranks.end(),
                      [&](const RankRow &row) { return row.host == rank.host; }));
    facts.by_threads = has_more_threads_than_cpus(rank) ||
                       (has_busy_threads(rank) && fills_its_cpus(report, rank));
    facts.by_limit = is_stopped_by_quota(rank);
    if (facts.by_limit)
        facts.who = quota_words(report, rank);
    else if (facts.by_threads)
        facts.who = fmt::format("the threads of {} share {} of {}", plural(ranks, "rank"),
                                rank.cpus_allowed ? plural(*rank.cpus_allowed, "CPU") : "the CPUs",
                                rank.host);
    else if (crowded)
        facts.who = fmt::format("{} share the CPUs of {}", plural(ranks, "rank"), rank.host);
    else
        facts.who = fmt::format("another program runs on the CPUs of {}", rank.host);
    facts.by_ranks = crowded && !facts.by_threads && !facts.by_limit;
}

// " (1.2 GiB read, 340 MiB written)"
std::string moved_words(const RankRow &rank)
{
    if (!rank.read_bytes || !rank.written_bytes)
        return "";
    return fmt::format(" ({} read, {} written)", bytes_text(*rank.read_bytes),
                       bytes_text(*rank.written_bytes));
}

void find_place(const Report &report, const RankRow &rank, OffCpuFacts &facts)
{
    const double blocked_s = rank.blocked_s.value_or(0);
    facts.in_files = rank.blocked_file_s.value_or(0) * 2 > blocked_s;
    facts.in_faults = rank.blocked_fault_s.value_or(0) * 2 > blocked_s;
    facts.blocked_by =
        facts.in_files ? "reading and writing files" + moved_words(rank)
        : facts.in_faults
            ? "waiting for pages from a disk"
            : "asleep, or waiting for a lock, a pipe or another thread (no file, no page fault)";
    const auto most = std::max_element(
        report.segments.begin(), report.segments.end(),
        [](const SegmentRow &a, const SegmentRow &b) { return a.blocked_s < b.blocked_s; });
    if (most == report.segments.end() || most->blocked_s * 2 < report.totals.blocked_s.value_or(0))
        return;
    facts.blocked_place = " " + between_words(*most);
    facts.blocked_beside =
        words_inside(report, static_cast<size_t>(most - report.segments.begin()));
}

}  // namespace

OffCpuFacts gather_off_cpu(const Report &report)
{
    OffCpuFacts facts;
    if (report.ranks.empty() || !report.totals.on_cpu_s)
        return facts;
    find_who(report, most_of(report, &RankRow::contention_s), facts);
    find_place(report, most_of(report, &RankRow::blocked_s), facts);
    return facts;
}

}  // namespace mprof
