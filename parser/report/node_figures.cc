// The median and not the mean is what a node is compared with: one slow node moves the mean.
#include "report/node_figures.h"

#include "report/placement_limits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace mprof {
namespace {

constexpr double no_less = 1e-3;  // of the median, so that 0 has a distance, too

using Values = std::vector<std::optional<double>>;

struct OfNode {
    const char *name;
    std::optional<double> (*of)(const NodeRow &node);
};

// Of these more is slower; of a metric less is.
constexpr OfNode figures_of_nodes[] = {
    {"compute_s", [](const NodeRow &node) { return std::optional(node.compute_s); }},
    {"mpi_s", [](const NodeRow &node) { return std::optional(node.mpi_s); }},
    {"wait_s", [](const NodeRow &node) { return node.wait_s; }},
    {"memory_bytes",
     [](const NodeRow &node) { return std::optional(static_cast<double>(node.memory_bytes)); }},
    {"outside_bytes",
     [](const NodeRow &node) { return std::optional(static_cast<double>(node.outside_bytes)); }},
};

// A metric's mean over the ranks of each node that have it.
Values means_of_metric(const Report &report, size_t metric)
{
    std::map<std::string, std::pair<double, size_t>> sums;
    for (const RankRow &rank : report.ranks) {
        if (metric >= rank.metrics.size() || std::isnan(rank.metrics[metric]))
            continue;
        auto &[sum, count] = sums[rank.host];
        sum += rank.metrics[metric];
        count++;
    }
    Values means;
    for (const NodeRow &node : report.nodes) {
        const auto at = sums.find(node.host);
        means.push_back(at == sums.end() ? std::nullopt
                                         : std::optional(at->second.first /
                                                         static_cast<double>(at->second.second)));
    }
    return means;
}

std::optional<double> median_of(const Values &values)
{
    std::vector<double> known;
    for (const auto &value : values)
        if (value)
            known.push_back(*value);
    if (known.empty())
        return std::nullopt;
    std::sort(known.begin(), known.end());
    return known[known.size() / 2];
}

NodeFigure make_figure(const Report &report, const std::string &name, std::optional<size_t> metric,
                       Values values)
{
    NodeFigure figure{name, metric, std::move(values), std::nullopt, {}, 0};
    const bool more_is_slow = !metric;
    figure.median = median_of(figure.values);
    const double median = figure.median.value_or(0);
    for (size_t i = 0; i < figure.values.size() && median > 0; i++) {
        const double value = figure.values[i].value_or(median);
        const double share =
            (more_is_slow ? value / median : median / std::max(value, median * no_less)) - 1;
        if (!(share > placement_limits.node_differs_share))
            continue;
        const bool is_far = share > placement_limits.node_stands_out_share;
        figure.different.push_back(
            {i, report.nodes[i].host, 100 * share, is_far ? Judgement::problem : Judgement::watch});
        figure.stand_out += is_far ? 1 : 0;
    }
    return figure;
}

}  // namespace

std::vector<NodeFigure> node_figures(const Report &report)
{
    std::vector<NodeFigure> figures;
    if (report.nodes.size() < 2)
        return figures;
    for (const OfNode &figure : figures_of_nodes) {
        Values values;
        for (const NodeRow &node : report.nodes)
            values.push_back(figure.of(node));
        figures.push_back(make_figure(report, figure.name, std::nullopt, std::move(values)));
    }
    for (size_t i = 0; i < report.metrics.size(); i++)
        figures.push_back(
            make_figure(report, report.metrics[i].name, i, means_of_metric(report, i)));
    return figures;
}

}  // namespace mprof
