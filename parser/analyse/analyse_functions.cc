// A row per MPI function, over all ranks; function ids mean nothing across files, names do.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <map>

namespace mprof {
namespace {

struct Sum {
    FunctionRow row;
    WaitSum wait;
    bool has_extremes = false;
    double rank_s = 0;  // of the rank that is being added
    double max_rank_s = 0;
    bool touched = false;
    std::vector<std::pair<size_t, double>> of_ranks;  // rows of Report.ranks that spent time in it
};

void add_entry(Sum &sum, const MeasuredEntry &entry)
{
    FunctionRow &row = sum.row;
    sum.touched = true;
    if (entry.key.kind == MPROF_KIND_RECEIVED)
        row.received_bytes += entry.bytes;
    if (entry.key.kind == MPROF_KIND_CALL || entry.key.kind == MPROF_KIND_START)
        row.bytes += entry.bytes;
    if (!entry.counts_calls())
        return;
    row.calls += entry.calls;
    row.time_s += entry.time_s;
    sum.wait.add(entry);
    sum.rank_s += entry.time_s;
    if (entry.calls == 0 || entry.max_s < entry.min_s)
        return;
    row.min_s = sum.has_extremes ? std::min(row.min_s, entry.min_s) : entry.min_s;
    row.max_s = sum.has_extremes ? std::max(row.max_s, entry.max_s) : entry.max_s;
    sum.has_extremes = true;
}

void close_rank(Sum &sum, uint32_t rank, size_t rank_row)
{
    if (sum.rank_s > 0)
        sum.of_ranks.emplace_back(rank_row, sum.rank_s);
    if (sum.rank_s > sum.max_rank_s) {
        sum.max_rank_s = sum.rank_s;
        sum.row.max_rank = rank;
    }
    sum.rank_s = 0;
    sum.touched = false;
}

// What each rank spent in each function, once the functions have their order.
void tell_ranks(const std::map<std::string, Sum> &sums, Report &report)
{
    for (size_t column = 0; column < report.functions.size(); column++) {
        for (const auto &[row, seconds] : sums.at(report.functions[column].function).of_ranks) {
            report.ranks[row].functions_s.resize(report.functions.size());
            report.ranks[row].functions_s[column] = seconds;
        }
    }
}

}  // namespace

void analyse_functions(const RankMeasures &ranks, Report &report)
{
    std::map<std::string, Sum> sums;
    size_t rank_row = 0;
    for (const RankMeasure &rank : ranks) {
        std::vector<Sum *> touched;
        for (const MeasuredEntry &entry : rank.entries) {
            Sum &sum = sums[rank.file->function_name(entry.key.function)];
            if (!sum.touched)
                touched.push_back(&sum);
            add_entry(sum, entry);
        }
        for (Sum *sum : touched)
            close_rank(*sum, rank.rank(), rank_row);
        rank_row++;
    }
    for (auto &[name, sum] : sums) {
        FunctionRow &row = sum.row;
        row.function = name;
        row.wait_s = sum.wait.value();
        const double mean_s = row.time_s / static_cast<double>(ranks.size());
        if (mean_s > 0)
            row.max_over_mean = sum.max_rank_s / mean_s;
        if (report.totals.mpi_s > 0)
            row.mpi_percent = 100 * row.time_s / report.totals.mpi_s;
        if (report.totals.wallclock_s > 0)
            row.wall_percent = 100 * row.time_s / report.totals.wallclock_s;
        report.functions.push_back(row);
    }
    std::stable_sort(
        report.functions.begin(), report.functions.end(),
        [](const FunctionRow &a, const FunctionRow &b) { return a.time_s > b.time_s; });
    tell_ranks(sums, report);
}

}  // namespace mprof
