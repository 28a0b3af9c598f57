// CPU times are those from MPI_Init to MPI_Finalize. Of ranks without a sample then they are those
// of the process, which include what starting it and MPI took.
#include "accounts/node_facts.h"

#include "accounts/account_limits.h"
#include "report/derived_figures.h"
#include "report/spread.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>

namespace mprof {
namespace {

struct CpuTimes {
    double user_s = 0, system_s = 0;
};

// `start_up_s`: of a process whose CPU time is known from its start only, what began MPI.
CpuTimes cpu_times(const RankRow &row, double start_up_s)
{
    if (row.run_cpu_s && row.run_system_s)
        return {*row.run_cpu_s - *row.run_system_s, *row.run_system_s};
    return {row.user_s.value_or(0), row.system_s.value_or(0) - start_up_s};
}

double all_s(const RankTime &time)
{
    return time.own_s() + time.wait_s;
}

// At least: what MPI took of the CPU may all be system time. The kernel counts it by ticks: of
// ranks that poll for long it is not known.
double kernel_part(const RankTime &time, const CpuTimes &cpu)
{
    const auto work_s = time.work_s;
    if (work_s <= account_limits.least_work_s ||
        time.wait_s > account_limits.known_kernel_wait * all_s(time))
        return 0;
    const double in_mpi_s = std::max(0.0, cpu.user_s + cpu.system_s - work_s);
    return std::clamp((cpu.system_s - in_mpi_s) / work_s, 0.0, 1.0);
}

// In MPI a rank gets as much of a CPU as where it computes, without system calls: it does not give
// way.
bool do_poll(const NodeTime &node, const std::vector<RankRow> &rows)
{
    double work_s = 0, queue_s = 0, wait_s = 0, used_s = 0, system_s = 0;
    for (size_t i = 0; i < node.ranks.size(); i++) {
        const CpuTimes cpu = cpu_times(rows[node.ranks[i].rank], account_limits.start_up_cpu_s);
        work_s += node.whole[i].work_s;
        queue_s += node.whole[i].queue_s;
        wait_s += node.whole[i].wait_s;
        used_s += std::max(0.0, cpu.user_s + cpu.system_s);
        system_s += std::max(0.0, cpu.system_s);
    }
    used_s -= work_s;
    return work_s > 0 && queue_s > account_limits.crowded * work_s &&
           system_s < account_limits.poll_system * used_s &&
           used_s > account_limits.poll_share * wait_s * work_s / (work_s + queue_s);
}

// Ranks that give way while they wait in MPI stand in the queue there. Where as many of them as
// there are CPUs want one all the time, CPUs are never idle: what the ranks did not get, others
// had.
double taken_part(const NodeTime &node, const std::vector<RankRow> &rows)
{
    double used_s = 0, queue_s = 0, sampled_s = 0;
    for (const RankPart &rank : node.ranks) {
        const RankRow &row = rows[rank.rank];
        if (!row.run_cpu_s || !row.run_queue_s || row.samples.empty())
            return 0;
        used_s += *row.run_cpu_s;
        queue_s += *row.run_queue_s;
        const auto begin =
            std::find_if(row.samples.begin(), row.samples.end(), [](const MemorySample &sample) {
                return sample.moment == SampleMoment::init_left;
            });
        if (begin != row.samples.end())
            sampled_s = std::max(sampled_s, row.samples.back().time_s - begin->time_s);
    }
    const double all_s = node.cpus * sampled_s;
    return used_s + queue_s >= account_limits.always * all_s ? std::max(0.0, 1 - used_s / all_s)
                                                             : 0;
}

double team_seconds(const NodeTime &node, const std::vector<RankRow> &rows)
{
    double sum_s = 0;
    for (const RankPart &rank : node.ranks) {
        const RankRow &row = rows[rank.rank];
        sum_s += std::max(0.0, row.parallel_busy_s.value_or(0) - row.parallel_s.value_or(0));
    }
    return sum_s;
}

// A first thread that waits for the other threads of its rank lacks a CPU whenever it wakes up to
// look after them. Where all of them together hardly lack one, no CPU is missing.
void count_wakeups_as_waiting(NodeTime &node, const std::vector<RankRow> &rows)
{
    for (size_t i = 0; i < node.ranks.size(); i++) {
        RankTime &time = node.whole[i];
        const auto &queue_part = rows[node.ranks[i].rank].queue_part;
        if (!queue_part || *queue_part > account_limits.crowded || time.team_s <= time.work_s)
            continue;
        time.team_s += time.queue_s;
        time.queue_s = 0;
    }
}

}  // namespace

void describe_node(NodeTime &node, const std::vector<RankRow> &rows)
{
    count_wakeups_as_waiting(node, rows);
    double start_up_s = account_limits.start_up_cpu_s;
    for (const RankPart &rank : node.ranks)
        start_up_s = std::min(start_up_s, rows[rank.rank].system_s.value_or(0));
    for (size_t i = 0; i < node.ranks.size(); i++)
        node.ranks[i].kernel =
            kernel_part(node.whole[i], cpu_times(rows[node.ranks[i].rank], start_up_s));
    node.polls = do_poll(node, rows);
    count_late_as_blocked(node.whole);
    node.taken = taken_part(node, rows);
    node.other_threads = find_other_threads(node.whole, node.cpus, team_seconds(node, rows));
    node.keeps = find_kept_part(node);
}

void note_speeds(const std::vector<RankRow> &rows, std::vector<NodeTime> &nodes)
{
    std::vector<double> known;
    for (const RankRow &row : rows)
        if (row.work_s)
            known.push_back(*row.work_s);
    if (known.size() < 2)
        return;
    const double median_s = lower_median(std::move(known));
    for (NodeTime &node : nodes)
        for (RankPart &rank : node.ranks) {
            const double work_s = rows[rank.rank].work_s.value_or(0);
            if (work_s > verdict_thresholds.slow_cpu_factor * median_s)
                rank.speed = median_s / work_s;
        }
}

void note_pickling(const std::vector<RankRow> &rows, std::vector<NodeTime> &nodes)
{
    for (NodeTime &node : nodes)
        for (size_t i = 0; i < node.ranks.size(); i++)
            if (node.whole[i].work_s > account_limits.least_work_s)
                node.ranks[i].pickling = std::clamp(
                    rows[node.ranks[i].rank].pickling_s.value_or(0) / node.whole[i].work_s, 0.0,
                    1.0);
}

namespace {

// Threads that OpenMP knows nothing of work as long as the first one is blocked, and neither a file
// nor a disk is what it waits for. One that is always busy, as a progress thread, tells nothing.
double part_of_other_threads(const RankRow &row, double blocked_s)
{
    const double others_s = least_other_threads_s(row);
    const double run_s = row.wallclock_s - row.startup_s.value_or(0);
    const bool in_files = (row.blocked_file_s.value_or(0) + row.blocked_fault_s.value_or(0)) * 2 >
                          row.blocked_s.value_or(0);
    const bool is_always_busy =
        std::abs(others_s - run_s) < (1 - account_limits.always) / 2 * run_s &&
        blocked_s < account_limits.explained * run_s;
    return !in_files && !is_always_busy && others_s >= account_limits.explained * blocked_s
               ? std::min(1.0, others_s / blocked_s)
               : 0;
}

}  // namespace

double team_part(const RankRow &row, double blocked_s)
{
    const auto threads = static_cast<double>(row.team_threads.value_or(1));
    if (blocked_s <= 0)
        return 0;
    if (threads < 2)
        return part_of_other_threads(row, blocked_s);
    if (!row.parallel_busy_s)
        return 0;
    const double idle_s = threads * row.parallel_s.value_or(0) - *row.parallel_busy_s;
    return std::clamp(idle_s / blocked_s, 0.0, 1.0);
}

void count_team_waiting(double part, RankTime &time)
{
    time.team_s = part * time.blocked_s;
    time.blocked_s -= time.team_s;
}

double usable_cpus(double in_masks, double limit, double of_node, size_t ranks)
{
    double cpus = in_masks > 0 ? in_masks : of_node;
    if (cpus <= 0)
        cpus = static_cast<double>(ranks);
    return limit > 0 ? std::min(cpus, limit) : cpus;
}

}  // namespace mprof
