// A row stands out of its group by the sum of what its bins differ from the mean of the run,
// compared with the others of the group. The mean of a small group would be much like the one that
// is unlike.
#include "report/time_groups.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace mprof {
namespace {

constexpr double outlier_factor = 4;        // times the median distance of the group
constexpr double outlier_run_share = 0.02;  // of the run

constexpr double TimeSplit::*const split_states[] = {
    &TimeSplit::compute_s,  &TimeSplit::contention_s, &TimeSplit::blocked_s, &TimeSplit::wait_s,
    &TimeSplit::transfer_s, &TimeSplit::file_s,       &TimeSplit::startup_s};

double distance_from(const TimeRow &row, const std::vector<TimeSplit> &mean)
{
    double sum = 0;
    for (size_t bin = 0; bin < std::min(row.bins.size(), mean.size()); bin++)
        sum += distance_of(row.bins[bin], mean[bin]);
    return sum;
}

std::vector<TimeSplit> mean_of(std::span<const TimeRow> rows, uint64_t ranks)
{
    std::vector<TimeSplit> mean(rows.front().bins.size());
    for (const TimeRow &row : rows)
        for (size_t bin = 0; bin < std::min(row.bins.size(), mean.size()); bin++)
            for (const auto state : split_states)
                mean[bin].*state += row.bins[bin].*state * static_cast<double>(row.ranks) /
                                    static_cast<double>(ranks);
    return mean;
}

// Null if none of them is far from the others.
const TimeRow *outlier_of(std::span<const TimeRow> rows, const std::vector<TimeSplit> &mean,
                          double run_s)
{
    std::vector<double> distances;
    for (const TimeRow &row : rows)
        distances.push_back(distance_from(row, mean));
    const std::optional<size_t> outlier = find_outlier(distances, run_s);
    return outlier ? &rows[*outlier] : nullptr;
}

TimeRow group_of(std::span<const TimeRow> rows, const std::vector<TimeSplit> &mean, double run_s)
{
    TimeRow group;
    group.first_rank = rows.front().first_rank;
    group.ranks = 0;
    for (const TimeRow &row : rows)
        group.ranks += row.ranks;
    group.bins = mean_of(rows, group.ranks);
    if (const TimeRow *outlier = outlier_of(rows, mean, run_s)) {
        const uint32_t rank = outlier->outlier.value_or(outlier->first_rank);
        if (outlier->ranks == 1 || outlier->outlier)
            group.outlier = rank;
        group.bins = outlier->bins;
        group.call_lines = outlier->call_lines;
    }
    return group;
}

}  // namespace

double distance_of(const TimeSplit &a, const TimeSplit &b)
{
    double sum = 0;
    for (const auto state : split_states)
        if (state != &TimeSplit::transfer_s)
            sum += std::abs(a.*state - b.*state);
    return sum;
}

std::optional<size_t> find_outlier(const std::vector<double> &distances, double run_s)
{
    const auto furthest = std::max_element(distances.begin(), distances.end());
    std::vector<double> sorted = distances;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (*furthest <= outlier_factor * *middle + outlier_run_share * run_s)
        return std::nullopt;
    return static_cast<size_t>(furthest - distances.begin());
}

std::vector<TimeRow> grouped_rows(const TimeLine &time, size_t most)
{
    if (time.rows.size() <= most)
        return time.rows;
    const size_t together = (time.rows.size() + most - 1) / most;
    const double run_s = time.bin_s * static_cast<double>(time.bins.size());
    uint64_t ranks = 0;
    for (const TimeRow &row : time.rows)
        ranks += row.ranks;
    const std::vector<TimeSplit> mean = mean_of(time.rows, ranks);
    std::vector<TimeRow> groups;
    for (size_t first = 0; first < time.rows.size(); first += together)
        groups.push_back(group_of(
            std::span(time.rows).subspan(first, std::min(together, time.rows.size() - first)), mean,
            run_s));
    return groups;
}

}  // namespace mprof
