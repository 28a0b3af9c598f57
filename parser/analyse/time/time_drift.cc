// Does a rank become slower? Only inside the longest stretch of phases of the same kind: what is
// before and behind the main part of a run is something else.
#include "analyse/time/time_phases.h"
#include "report/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr double slower = 1.1;        // from here on it is said
constexpr double least_change = 0.1;  // of the median rank's time
constexpr double edge_share = 1.0 / 3;
constexpr size_t fewest_part_bins = 12;

// Without the number: "solve" of "solve 2".
std::string kind_of(const PhaseRow &phase)
{
    const size_t end = phase.name.find_last_not_of("0123456789 ");
    return phase.name.substr(0, end == std::string::npos ? 0 : end + 1);
}

struct Stretch {
    double from_s = 0, to_s = 0;
};

Stretch main_part(const std::vector<PhaseRow> &phases)
{
    Stretch longest;
    for (size_t first = 0; first < phases.size();) {
        size_t last = first;
        while (last + 1 < phases.size() && kind_of(phases[last + 1]) == kind_of(phases[first]))
            last++;
        const Stretch here = {phases[first].from_s, phases[last].to_s};
        const bool works = phases[first].source != PhaseSource::start_up &&
                           phases[first].source != PhaseSource::output;
        if (works && here.to_s - here.from_s > longest.to_s - longest.from_s)
            longest = here;
        first = last + 1;
    }
    return longest;
}

double busy_between(const TimeRow &row, size_t begin, size_t end)
{
    double busy_s = 0;
    for (size_t i = begin; i < end; i++)
        busy_s += row.bins[i].compute_s + row.bins[i].contention_s + row.bins[i].blocked_s;
    return busy_s;
}

double median_of(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<long>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// By row: its time outside of MPI / that of the median row.
std::vector<double> paces(const std::vector<TimeRow> &rows, size_t begin, size_t end)
{
    std::vector<double> busy;
    for (const TimeRow &row : rows)
        busy.push_back(busy_between(row, begin, end));
    const double median_s = median_of(busy);
    for (double &pace : busy)
        pace = median_s > 0 ? pace / median_s : 1;
    return busy;
}

}  // namespace

std::string drift_of_ranks(const Report &report)
{
    const TimeLine &time = report.time;
    const Stretch part = main_part(time.phases);
    const auto begin = static_cast<size_t>(std::lround(part.from_s / time.bin_s));
    const auto end =
        std::min(time.bins.size(), static_cast<size_t>(std::lround(part.to_s / time.bin_s)));
    if (time.rows.size() < 2 || end < begin + fewest_part_bins)
        return "";
    const auto third = static_cast<size_t>(edge_share * static_cast<double>(end - begin));
    const std::vector<double> first = paces(time.rows, begin, begin + third);
    const std::vector<double> last = paces(time.rows, end - third, end);
    size_t most = 0;
    for (size_t r = 1; r < first.size(); r++)
        if (last[r] - first[r] > last[most] - first[most])
            most = r;
    const TimeRow &row = time.rows[most];
    if (last[most] < slower || last[most] - first[most] < least_change ||
        (row.ranks > 1 && !row.outlier))
        return "";
    return fmt::format("Rank {} becomes slower: outside of MPI it takes {:.2f}x as long as the "
                       "median rank at first and {:.2f}x at the end.",
                       row.outlier.value_or(row.first_rank), first[most], last[most]);
}

}  // namespace mprof
