// The order is that of the analysis: ranks first, then what is summed over them, and the words
// last.
#include "sample_report.h"

#include "analyse/analysis_parts.h"
#include "sample_parts.h"

#include <fmt/format.h>

namespace mprof_test {

using namespace mprof;

const std::vector<Function> &functions()
{
    static const std::vector<Function> list = {
        {"MPI_Allreduce", 0.534, 0.875, 152'000, 28'700, {3, 10, 20}},
        {"MPI_Waitall", 0.214, 0.77, 76'000, 0, {}},
        {"MPI_Allgather", 0.067, 0.56, 2600, 30'100, {11, 12}},
        {"MPI_Alltoallv", 0.060, 0.43, 1300, 14'200, {10, 14}},
        {"MPI_Send", 0.033, 0.476, 7600, 90'500, {16, 17}},
        {"MPI_Barrier", 0.025, 0.80, 64, 0, {}},
        {"MPI_Bcast", 0.021, 0.43, 420, 2'310'000, {16, 21}},
        {"MPI_Recv", 0.015, 0.60, 7600, 90'500, {16, 17}},
        {"MPI_Isend", 0.012, 0, 152'000, 25'800, {10, 12, 15}},
        {"MPI_Reduce", 0.010, 0.517, 410, 2'290'000, {20, 21}},
        {"MPI_Irecv", 0.007, 0, 152'000, 25'800, {10, 12, 15}},
        {"MPI_Comm_split", 0.001, 0, 6, 0, {}},
        {"MPI_Init", 0.001, 0, 1, 0, {}},
    };
    return list;
}

double noise(uint32_t rank, uint32_t salt)
{
    uint64_t hash = (rank + 1) * 0x9e3779b97f4a7c15U + salt * 0xd6e8feb86659fd93U;
    hash ^= hash >> 32U;
    hash *= 0xd6e8feb86659fd93U;
    hash ^= hash >> 29U;
    return static_cast<double>(hash >> 11U) / 4503599627370496.0 - 1;
}

namespace {

Plan make_plan(uint32_t ranks, const std::string &variant)
{
    Plan plan;
    plan.ranks = ranks;
    plan.variant = variant;
    plan.per_node = ranks >= 4096 ? 128 : 4;
    while ((plan.side + 1) * (plan.side + 1) <= ranks)
        plan.side++;
    if (variant == "healthy")
        plan.compute_s = 45.6;
    if (variant == "no MPI time")
        plan.compute_s = plan.wall_s;
    return plan;
}

}  // namespace

std::string host_name(const Plan &plan, uint32_t rank)
{
    if (plan.is("hostile"))
        return rank / plan.per_node % 2 == 0 ? "</script><b>node\"'&\x01" : "\xe2\x80\xaenode\xff";
    if (plan.is("long names"))
        return fmt::format("a-very-long-host-name-{:05}.cluster.department.example.org",
                           rank / plan.per_node);
    return fmt::format("node{:0{}}", rank / plan.per_node, plan.ranks >= 4096 ? 4 : 2);
}

std::string function_name(const Plan &plan, size_t i)
{
    if (plan.is("hostile") && i == 1)
        return "MPI_<img src=x onerror=alert(1)>";
    if (plan.is("long names") && i == 1)
        return "MPI_Ineighbor_alltoallw_with_a_very_long_name_init";
    return functions()[i].name;
}

const std::vector<std::string> &sample_variants()
{
    static const std::vector<std::string> variants = {
        "slow node", "healthy", "bare",       "no messages",    "no MPI time", "missing ranks",
        "killed",    "hostile", "long names", "many callsites", "dense",       "coupled"};
    return variants;
}

Report sample_report(uint32_t ranks, const std::string &variant)
{
    const Plan plan = make_plan(ranks, variant);
    Report report;
    report.version = "0.1.0";
    add_run(plan, report);
    add_ranks(plan, report);
    sum_ranks(report);
    add_functions(plan, report);
    add_messages(report);
    if (!plan.is("no messages") && ranks > 1)
        add_partners(plan, report);
    add_files(plan, report);
    add_openmp(plan, report);
    if (plan.is("killed"))
        add_gpus(plan, report);
    add_communicators(plan, report);
    if (plan.has_details()) {
        add_nodes(report);
        report.bindings = analyse_bindings(report.ranks);
        add_code(plan, report);
        add_regions(plan, report);
        add_counters(report);
        add_causes(plan, report);
        add_transfers(report);
        add_time(plan, report);
        add_accounts(report);
    }
    if (plan.is("coupled"))
        add_programs(report);
    if (plan.is("killed"))
        add_lints(report);
    if (plan.is("killed") || plan.is("long names"))
        add_machine(report);
    add_quality(plan, report);
    add_verdict(plan, report);
    report.time_parts = analyse_time(report.totals, report.ranks);
    return report;
}

}  // namespace mprof_test
