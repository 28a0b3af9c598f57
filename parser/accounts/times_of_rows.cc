// The sums of a rank's row as one window.
#include "accounts/account_limits.h"
#include "accounts/make_accounts.h"
#include "accounts/node_facts.h"
#include "measure/function_facts.h"
#include "report/derived_figures.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

double seconds(double value)
{
    return std::max(0.0, value);
}

double work_of(const RankRow &row)
{
    return seconds(row.on_cpu_s ? *row.on_cpu_s : row.compute_s - row.gpu->all_s());
}

void add_gpu(const RankRow &row, RankTime &time)
{
    time.gpu_wait_s = seconds(row.gpu->own_wait_s());
    time.wait_s += row.gpu->nccl_wait_s.value_or(0);
    time.gpu_copy_s = seconds(row.gpu->copy_s.value_or(0));
    time.gpu_launch_s = seconds(row.gpu->launch_s.value_or(0));
}

// Where nobody knows what is waiting, it is all MPI time but start-up, files and the end.
RankTime time_without_waits(const RankRow &row, const Report &report)
{
    RankTime time;
    time.work_s = work_of(row);
    time.queue_s = seconds(row.contention_s.value_or(0));
    time.blocked_s = seconds(row.blocked_s.value_or(0));
    double other_s = 0;
    for (size_t i = 0; i < std::min(row.functions_s.size(), report.functions.size()); i++) {
        const FunctionFacts function = facts_of_calls(
            report.functions[i].function, report.functions[i].calls, report.ranks.size());
        const bool is_file = function.kind == FunctionKind::file;
        time.files_s += is_file ? row.functions_s[i] : 0;
        other_s += is_file || function.is_startup() || function.ends_mpi ? row.functions_s[i] : 0;
    }
    time.wait_s = seconds(row.mpi_thread_s - other_s);
    add_gpu(row, time);
    count_team_waiting(team_part(row, time.blocked_s), time);
    return time;
}

RankTime time_of_row(const RankRow &row, const Report &report)
{
    if (!row.wait_thread_s)
        return time_without_waits(row, report);
    RankTime time;
    time.work_s = work_of(row) + row.local_s;
    time.queue_s = seconds(row.contention_s.value_or(0));
    time.blocked_s = seconds(row.blocked_s.value_or(0));
    time.transfer_s = seconds(row.transfer_s.value_or(0) - row.idle_s - row.local_s);
    time.files_s = seconds(row.file_s.value_or(0));
    time.wait_s = seconds(*row.wait_thread_s + row.idle_s);
    add_gpu(row, time);
    count_team_waiting(team_part(row, time.blocked_s), time);
    return time;
}

// What the report knows of the host; else what the masks of its ranks have.
double cpus_of(const Report &report, const NodeTime &node)
{
    CpuSet masks;
    for (const RankPart &rank : node.ranks) {
        const CpuSet cpus = parse_cpus(report.ranks[rank.rank].cpu_list);
        masks.insert(cpus.begin(), cpus.end());
    }
    double limit = 0, of_node = 0;
    for (const NodeRow &row : report.nodes) {
        if (row.host != report.ranks[node.ranks.front().rank].host)
            continue;
        for (const auto &[name, value] : row.facts) {
            limit = name == "cgroup_cpus" ? std::atof(value.c_str()) : limit;
            of_node = name == "cpus" ? std::atof(value.c_str()) : of_node;
        }
    }
    return usable_cpus(static_cast<double>(masks.size()), limit, of_node, node.ranks.size());
}

}  // namespace

RunTimes times_of_rows(const Report &report)
{
    RunTimes times;
    std::map<std::string, size_t> hosts;
    for (size_t r = 0; r < report.ranks.size(); r++) {
        const auto [at, is_new] = hosts.try_emplace(report.ranks[r].host, times.nodes.size());
        if (is_new)
            times.nodes.emplace_back();
        RankPart rank;
        rank.rank = r;
        rank.launching = report.ranks[r].gpu->launching();
        times.nodes[at->second].ranks.push_back(rank);
        times.nodes[at->second].whole.push_back(time_of_row(report.ranks[r], report));
    }
    const WindowGrid grid(1);
    RunWork work(grid);
    for (size_t r = 0; r < report.ranks.size(); r++) {
        const RankTime time = time_of_row(report.ranks[r], report);
        work.add_rank(r, 0, {time.work_s}, grid, {time.gpu_s()});
    }
    const double small_s = report.totals.small_transfer_s.value_or(0);
    const double transfer_s = small_s + report.totals.large_transfer_s.value_or(0);
    for (NodeTime &node : times.nodes) {
        node.cpus = cpus_of(report, node);
        node.small_part = transfer_s > 0 ? small_s / transfer_s : 1;
        std::vector<StretchTimes> windows = {node.whole};
        describe_node(node, report.ranks);
        times.add(model_node(node, std::move(windows), grid, work));
    }
    times.note_busiest(work);
    if (!report.ranks.empty())
        times.calls =
            static_cast<double>(report.totals.calls) / static_cast<double>(report.ranks.size());
    // The calls of the whole run, as if they followed each other evenly.
    double least_wait_s = 0;
    for (size_t r = 0; r < report.ranks.size(); r++) {
        const double wait_s = time_of_row(report.ranks[r], report).wait_s;
        least_wait_s = r == 0 ? wait_s : std::min(least_wait_s, wait_s);
    }
    double polls = 0;
    for (const FunctionRow &row : report.functions)
        polls += facts_of_calls(row.function, row.calls, report.ranks.size()).asks_only()
                     ? static_cast<double>(row.calls)
                     : 0;
    const double ranks = std::max(1.0, static_cast<double>(report.ranks.size()));
    if (report.run.wallclock_s < account_limits.short_call_s * (times.calls - polls / ranks))
        times.short_wait_s = least_wait_s;
    return times;
}

}  // namespace mprof
