// A row per MPI function, over all ranks; function ids mean nothing across files, names do.
#include "analyse/analysis_parts.h"
#include "analyse/by_rank/call_sum.h"
#include "measure/for_all_ranks.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

struct FunctionSum {
    CallSum calls;
    uint32_t max_rank = 0;
    double rank_s = 0;  // of the rank that is being added
    double max_rank_s = 0;
    bool touched = false, used = false;
};

void add_entry(FunctionSum &sum, const MeasuredEntry &entry)
{
    sum.touched = sum.used = true;
    sum.calls.add(entry);
    sum.rank_s += entry.time_s;
}

void close_rank(FunctionSum &sum, uint32_t rank)
{
    if (sum.rank_s > sum.max_rank_s) {
        sum.max_rank_s = sum.rank_s;
        sum.max_rank = rank;
    }
    sum.rank_s = 0;
    sum.touched = false;
}

// Those that any rank called, by name.
std::map<std::string, uint32_t> used_functions(const std::vector<FunctionSum> &sums,
                                               const MergedNames &names)
{
    std::map<std::string, uint32_t> used;
    for (uint32_t number = 0; number < sums.size(); number++)
        if (sums[number].used)
            used.emplace(names.function_name(number), number);
    return used;
}

// The time of each rank's MPI thread in each function. Called when the functions have their final
// order.
void tell_ranks(const RankMeasures &ranks, const std::vector<FunctionSum> &sums,
                const MergedNames &names, Report &report)
{
    const auto numbers = used_functions(sums, names);
    std::vector<size_t> columns(sums.size());  // by number of the function
    for (size_t column = 0; column < report.functions.size(); column++)
        columns[numbers.at(report.functions[column].function)] = column;
    for_all_ranks(ranks.size(), [&](size_t r) {
        std::vector<double> seconds(report.functions.size());
        double all_s = 0;
        for (const MeasuredEntry &entry : ranks[r].entries) {
            seconds[columns[names.function(r, entry.key.function)]] += entry.mpi_thread_s();
            all_s += entry.mpi_thread_s();
        }
        if (all_s > 0)
            report.ranks[r].functions_s = std::move(seconds);
    });
}

}  // namespace

void analyse_functions(const RankMeasures &ranks, const MergedNames &names, Report &report)
{
    std::vector<FunctionSum> sums;  // by number of the function
    std::vector<uint32_t> touched;
    size_t rank_row = 0;
    for (const RankMeasure &rank : ranks) {
        touched.clear();
        for (const MeasuredEntry &entry : rank.entries) {
            const uint32_t number = names.function(rank_row, entry.key.function);
            if (sums.size() <= number)
                sums.resize(number + 1);
            FunctionSum &sum = sums[number];
            if (!sum.touched)
                touched.push_back(number);
            add_entry(sum, entry);
        }
        for (const uint32_t number : touched)
            close_rank(sums[number], rank.rank());
        rank_row++;
    }
    for (const auto &[name, number] : used_functions(sums, names)) {
        const FunctionSum &sum = sums[number];
        FunctionRow row = {.function = name,
                           .calls = sum.calls.calls,
                           .bytes = sum.calls.bytes,
                           .received_bytes = sum.calls.received_bytes,
                           .time_s = sum.calls.time_s,
                           .min_s = sum.calls.min_s,
                           .max_s = sum.calls.max_s,
                           .mpi_thread_s = sum.calls.mpi_thread_s,
                           .wait_s = sum.calls.wait.value(),
                           .max_rank = sum.max_rank};
        const double mean_s = row.time_s / static_cast<double>(ranks.size());
        if (mean_s > 0)
            row.max_over_mean = sum.max_rank_s / mean_s;
        if (report.totals.mpi_s > 0)
            row.mpi_percent = 100 * row.time_s / report.totals.mpi_s;
        if (report.totals.wallclock_s > 0)
            row.wall_percent = 100 * row.mpi_thread_s / report.totals.wallclock_s;
        report.functions.push_back(row);
    }
    std::stable_sort(
        report.functions.begin(), report.functions.end(),
        [](const FunctionRow &a, const FunctionRow &b) { return a.time_s > b.time_s; });
    tell_ranks(ranks, sums, names, report);
}

}  // namespace mprof
