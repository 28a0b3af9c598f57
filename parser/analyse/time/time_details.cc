// Of a hundred thousand ranks most are alike. Exact rows are kept of those that people ask for.
#include "analyse/time/time_details.h"

#include "analyse/time/time_view.h"
#include "report/time_window.h"

#include <algorithm>
#include <numeric>

namespace mprof {
namespace {

constexpr size_t most_detailed_ranks = 64;
constexpr size_t most_detailed_groups = 8;
constexpr size_t most_nodes_of_group = 8;

using RowOf = std::function<TimeRow(size_t)>;

std::vector<size_t> slowest_ranks(const std::vector<double> &compute_s)
{
    std::vector<size_t> ranks(compute_s.size());
    std::iota(ranks.begin(), ranks.end(), size_t{0});
    const size_t count = std::min(most_detailed_ranks, ranks.size());
    std::partial_sort(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count),
                      ranks.end(), [&](size_t a, size_t b) {
                          return compute_s[a] != compute_s[b] ? compute_s[a] > compute_s[b] : a < b;
                      });
    ranks.resize(count);
    return ranks;
}

// The mean of ranks that follow each other.
TimeDetail node_row(const Report &report, size_t first, size_t ranks, const RowOf &row_of)
{
    TimeDetail node;
    node.host = report.ranks[first].host;
    node.first_rank = report.ranks[first].rank;
    node.ranks = ranks;
    node.bins.resize(report.time.bins.size());
    for (size_t r = first; r < first + ranks; r++) {
        const TimeRow row = row_of(r);
        for (size_t bin = 0; bin < node.bins.size(); bin++)
            add_part(node.bins[bin], row.bins[bin], 1 / static_cast<double>(ranks));
    }
    return node;
}

// None if there are too many: then their means would be of few ranks.
void add_nodes(const Report &report, size_t first, size_t ranks, const RowOf &row_of,
               std::vector<TimeDetail> &details)
{
    std::vector<size_t> begins;
    for (size_t r = first; r < first + ranks; r++)
        if (r == first || report.ranks[r].host != report.ranks[r - 1].host)
            begins.push_back(r);
    if (begins.size() > most_nodes_of_group)
        begins.resize(1);
    begins.push_back(first + ranks);
    for (size_t i = 0; i + 1 < begins.size(); i++)
        details.push_back(node_row(report, begins[i], begins[i + 1] - begins[i], row_of));
}

}  // namespace

std::vector<TimeDetail> time_details(const Report &report, const std::vector<double> &compute_s,
                                     const RowOf &row_of)
{
    std::vector<TimeDetail> details;
    if (compute_s.size() <= most_time_groups || report.ranks.size() != compute_s.size())
        return details;
    size_t first = 0, groups = 0;
    for (const TimeRow &group : grouped_rows(report.time, most_time_groups)) {
        if (group.outlier && groups < most_detailed_groups) {
            add_nodes(report, first, group.ranks, row_of, details);
            groups++;
        }
        first += group.ranks;
    }
    for (const size_t rank : slowest_ranks(compute_s))
        details.push_back(TimeDetail{row_of(rank), report.ranks[rank].host});
    return details;
}

}  // namespace mprof
