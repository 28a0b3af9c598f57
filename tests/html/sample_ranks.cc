// Ranks, and what is summed over them.
#include "sample_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace mprof_test {

using namespace mprof;

namespace {

// Nodes of two sockets with eight cores of two threads each, four of which share a cache: a rank
// has every second core, but the last two of the slow node have one together.
void sit_down(const Plan &plan, RankRow &row)
{
    const uint32_t slot = row.rank % plan.per_node;
    const bool is_beside = plan.is_slow(row.rank) && slot + 1 == plan.per_node;
    const uint32_t core = 2 * (is_beside ? slot - 1 : slot) % 16;
    const auto both_threads = [](uint32_t first, uint32_t cores) {
        return fmt::format("{}-{},{}-{}", first, first + cores - 1, first + 16,
                           first + 16 + cores - 1);
    };
    row.cpu_list = row.core_cpus = fmt::format("{},{}", core, core + 16);
    row.cache_cpus = both_threads(core / 4 * 4, 4);
    row.socket_cpus = row.numa_cpus = both_threads(core / 8 * 8, 8);
}

void fill_rank(const Plan &plan, RankRow &row)
{
    const uint32_t rank = row.rank;
    const double factor = plan.is_slow(rank) ? plan.slow_factor : 1;
    row.host = host_name(plan, rank);
    row.wallclock_s = plan.wall_s * (1 + 0.0004 * noise(rank, 1));
    row.compute_s =
        std::min(plan.compute_s * factor * (1 + 0.03 * noise(rank, 2)), row.wallclock_s);
    if (plan.is("no MPI time"))
        row.compute_s = row.wallclock_s;
    row.mpi_s = row.wallclock_s - row.compute_s;
    row.mpi_thread_s = row.mpi_s;
    row.comm_percent = 100 * row.mpi_s / row.wallclock_s;
    row.user_s = row.wallclock_s * 0.98;
    row.system_s = row.wallclock_s * 0.01;
    row.calls = 552'000;
    row.sent_bytes = static_cast<uint64_t>(7.3e9 * (1 + 0.1 * noise(rank, 3)));
    row.memory_bytes = static_cast<uint64_t>(1.52 * (1U << 30U) * (1 + 0.09 * noise(rank, 4)));
    row.threads = 1;
    row.complete = true;
    row.end = RankEnd::finalize;
    double shares = 0;
    for (size_t i = 0; i < functions().size(); i++) {
        const double share =
            functions()[i].share * (1 + 0.15 * noise(rank, 10 + static_cast<uint32_t>(i)));
        row.functions_s.push_back(share);
        shares += share;
    }
    for (double &seconds : row.functions_s)
        seconds *= row.mpi_s / shares;
    if (!plan.has_details())
        return;
    const double transfer_s = plan.is("healthy") ? 0.8 * row.mpi_s : std::min(4.5, row.mpi_s);
    row.wait_s = row.wait_thread_s = row.mpi_s - transfer_s;
    row.startup_s = 0.1 * transfer_s;
    row.transfer_s = 0.9 * transfer_s;
    row.file_s = 0;
    row.caused_wait_s = plan.is_slow(rank) ? 190 + 40 * noise(rank, 5) : 2 + noise(rank, 5);
    row.contention_s = (plan.is_slow(rank) ? 0.25 : 0.01) * row.compute_s;
    row.blocked_s = (rank == 0 ? 0.1 : 0.002) * row.compute_s;
    row.on_cpu_s = row.compute_s - *row.contention_s - *row.blocked_s;
    row.cpu = fmt::format("{}", rank % plan.per_node);
    sit_down(plan, row);
    row.numa_node = rank % plan.per_node / 2;
    row.cpus_allowed = 1;
    row.migrations = rank % 7 == 0 ? 3 : 0;
    row.minor_faults = 410'000 + rank % 13;
    row.major_faults = 0;
    row.voluntary_switches = 900 + rank % 31;
    row.involuntary_switches = plan.is_slow(rank) ? 5200 : 140;
    row.init_memory_bytes = 68U << 20U;
    row.shared_memory_bytes = 41U << 20U;
    const double clock = (plan.is_slow(rank) ? 1.98 : 2.87) * (1 + 0.01 * noise(rank, 6));
    const double cycles = clock * 1e9 * row.wallclock_s;
    const double instructions =
        cycles * 1.62 * (plan.is_slow(rank) ? 1.42 : 1) * (1 + 0.01 * noise(rank, 7));
    row.counters = {instructions, cycles, 3.4e8 * (1 + 0.06 * noise(rank, 8)),
                    3.16e10 * (1 + 0.02 * noise(rank, 9))};
    row.metrics = {instructions / cycles, clock, row.counters[3] / row.wallclock_s / 1e9};
}

void stop_rank(const Plan &plan, RankRow &row)
{
    row.complete = false;
    row.end = RankEnd::none;
    row.user_s.reset();
    row.system_s.reset();
    row.memory_bytes.reset();
    row.in_call_since_s = 21.5 + 0.01 * row.rank;
    row.in_call = row.rank == 2 ? "MPI_Recv" : "MPI_Allreduce";
    row.in_call_place = row.rank == 2 ? "exchange.c:96" : "cg.c:211";
    if (row.rank == 2)
        row.in_call_peer = 5;
    if (row.rank == plan.ranks / 2)
        row.in_call.reset();
}

}  // namespace

void add_ranks(const Plan &plan, Report &report)
{
    for (uint32_t rank = 0; rank < plan.ranks; rank++) {
        if (plan.is_missing(rank))
            continue;
        RankRow row;
        row.rank = rank;
        fill_rank(plan, row);
        if (plan.is("killed"))
            stop_rank(plan, row);
        report.ranks.push_back(row);
    }
}

}  // namespace mprof_test
