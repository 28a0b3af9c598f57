// What the page knows of single ranks and of nodes: exact rows while there are few, otherwise bins,
// extremes and quantiles. Bins divide the ranks of MPI_COMM_WORLD evenly, whether they were read or
// not.
#include "render/html/data/html_data.h"

#include "render/html/data/html_page.h"
#include "report/fields/fields_of_ranks.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <set>

namespace mprof {
namespace {

using Value = std::function<std::optional<double>(const RankRow &)>;

struct Figure {
    const char *name;
    Value of;
};

std::optional<double> as_double(const std::optional<uint64_t> &value)
{
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

// The figures that are also binned and sorted.
const std::vector<Figure> &main_figures()
{
    static const std::vector<Figure> figures = {
        {"compute_s", [](const RankRow &row) { return row.compute_s; }},
        {"on_cpu_s", [](const RankRow &row) { return row.on_cpu_s; }},
        {"contention_s", [](const RankRow &row) { return row.contention_s; }},
        {"blocked_s", [](const RankRow &row) { return row.blocked_s; }},
        {"gpu_s",
         [](const RankRow &row) {
             return row.gpu->wait_s ? std::optional<double>(row.gpu->all_s()) : std::nullopt;
         }},
        {"mpi_thread_s", [](const RankRow &row) { return row.mpi_thread_s; }},
        {"wait_thread_s", [](const RankRow &row) { return row.wait_thread_s; }},
        {"memory_bytes", [](const RankRow &row) { return as_double(row.memory_bytes); }},
        {"sent_bytes", [](const RankRow &row) { return static_cast<double>(row.sent_bytes); }},
    };
    return figures;
}

std::optional<double> at(const std::vector<double> &values, size_t column)
{
    return column < values.size() ? std::optional<double>(values[column]) : std::nullopt;
}

// Time in the functions that have a colour ("f0" ...) and in all others ("f_other"), counters
// ("c0" ...) and metrics ("m0" ...).
std::vector<std::pair<std::string, Value>> numbered_figures(const Report &report)
{
    std::vector<std::pair<std::string, Value>> figures;
    size_t functions = 0;
    while (functions < std::min(most_shown_functions, report.functions.size()) &&
           report.functions[functions].mpi_percent >= shown_function_percent)
        functions++;
    for (size_t i = 0; i < functions; i++)
        figures.emplace_back(fmt::format("f{}", i), [i](const RankRow &row) {
            return at(row.functions_s, i).value_or(0);
        });
    if (report.functions.size() > functions)
        figures.emplace_back("f_other", [functions](const RankRow &row) {
            double sum_s = 0;
            for (size_t i = functions; i < row.functions_s.size(); i++)
                sum_s += row.functions_s[i];
            return sum_s;
        });
    for (size_t i = 0; i < report.counters.size(); i++)
        figures.emplace_back(fmt::format("c{}", i),
                             [i](const RankRow &row) { return at(row.counters, i); });
    for (size_t i = 0; i < report.metrics.size(); i++)
        figures.emplace_back(fmt::format("m{}", i),
                             [i](const RankRow &row) { return at(row.metrics, i); });
    return figures;
}

bool is_binned(const Report &report)
{
    return report.quality.ranks_expected > exact_ranks;
}

// Beyond `exact_ranks`: the extremes of compute time, and ranks that other lists name.
std::vector<RankRow> listed_ranks(const Report &report)
{
    if (report.ranks.size() <= exact_ranks)
        return report.ranks;
    std::set<uint32_t> named;
    for (size_t i = 0; i < std::min(listed_causes, report.causes.size()); i++)
        named.insert(report.causes[i].rank);
    for (size_t i = 0; i < std::min(most_shown_functions, report.functions.size()); i++)
        named.insert(report.functions[i].max_rank);
    for (const MetricRow &row : report.metrics)
        named.insert({row.min_rank, row.max_rank});
    for (const TimeRow &row : report.time.rows)
        if (row.outlier)
            named.insert(*row.outlier);
    for (const PhaseRow &row : report.time.phases)
        if (row.slowest_rank)
            named.insert(*row.slowest_rank);
    std::vector<const RankRow *> sorted;
    for (const RankRow &row : report.ranks)
        sorted.push_back(&row);
    std::stable_sort(sorted.begin(), sorted.end(), [](const RankRow *a, const RankRow *b) {
        return a->compute_s < b->compute_s;
    });
    for (size_t i = 0; i < listed_extremes; i++)
        named.insert({sorted[i]->rank, sorted[sorted.size() - 1 - i]->rank});
    std::vector<RankRow> rows;
    std::copy_if(report.ranks.begin(), report.ranks.end(), std::back_inserter(rows),
                 [&](const RankRow &row) { return named.contains(row.rank); });
    return rows;
}

struct Bin {
    uint64_t first = 0;
    std::vector<const RankRow *> ranks;
};

std::vector<Bin> make_bins(const Report &report)
{
    const uint64_t expected = report.quality.ranks_expected;
    std::vector<Bin> bins(rank_bins);
    for (size_t i = 0; i < bins.size(); i++)
        bins[i].first = (i * expected + rank_bins - 1) / rank_bins;
    for (const RankRow &row : report.ranks)
        bins[std::min<uint64_t>(row.rank * rank_bins / expected, rank_bins - 1)].ranks.push_back(
            &row);
    return bins;
}

struct MeanAndBounds {
    std::optional<double> mean, min, max;
};

MeanAndBounds summarise(const Bin &bin, const Value &value_of)
{
    MeanAndBounds result;
    double sum = 0;
    size_t count = 0;
    for (const RankRow *row : bin.ranks) {
        const auto value = value_of(*row);
        if (!value)
            continue;
        result.min = std::min(result.min.value_or(*value), *value);
        result.max = std::max(result.max.value_or(*value), *value);
        sum += *value;
        count++;
    }
    if (count > 0)
        result.mean = sum / static_cast<double>(count);
    return result;
}

void add_bin_figure(HtmlColumns &columns, const std::vector<Bin> &bins, const std::string &name,
                    const Value &value_of, bool with_bounds)
{
    Json mean = Json::array(), min = Json::array(), max = Json::array();
    for (const Bin &bin : bins) {
        const MeanAndBounds figure = summarise(bin, value_of);
        mean.push_back(page_value(figure.mean, bar_digits));
        min.push_back(page_value(figure.min, bar_digits));
        max.push_back(page_value(figure.max, bar_digits));
    }
    columns.add(name, std::move(mean));
    if (!with_bounds)
        return;
    columns.add(name + ".min", std::move(min));
    columns.add(name + ".max", std::move(max));
}

// Without quotes where it is one number: "7", not "0-3".
Json number_or_text(const std::string &text)
{
    uint32_t number = 0;
    const char *end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && read == end ? Json(number) : page_value(text);
}

}  // namespace

Json html_ranks(const Report &report, TextNumbers &hosts)
{
    const std::vector<RankRow> rows = listed_ranks(report);
    ColumnsOf<RankRow> columns = page_columns(rows, report);
    columns.add("host", [&](const RankRow &row) { return hosts.number(row.host); })
        .add("cpu", [](const RankRow &row) { return number_or_text(row.cpu); });
    for (const auto &[name, of] : numbered_figures(report))
        columns.add(name, of, shown_digits);
    return columns.json();
}

Json html_bins(const Report &report, TextNumbers &hosts)
{
    if (!is_binned(report))
        return nullptr;
    const std::vector<Bin> bins = make_bins(report);
    ColumnsOf<Bin> head{std::span(bins)};
    head.add("first", &Bin::first)
        .add("ranks", [](const Bin &bin) { return bin.ranks.size(); })
        .add("host", [&](const Bin &bin) -> std::optional<size_t> {
            if (bin.ranks.empty())
                return std::nullopt;
            return hosts.number(bin.ranks.front()->host);
        });
    HtmlColumns columns = head.columns();
    for (const Figure &figure : main_figures())
        add_bin_figure(columns, bins, figure.name, figure.of, true);
    for (const auto &[name, of] : numbered_figures(report))
        add_bin_figure(columns, bins, name, of, name.starts_with('m'));
    return columns.json();
}

Json html_quantiles(const Report &report)
{
    if (!is_binned(report))
        return nullptr;
    HtmlColumns columns(quantile_points);
    for (const Figure &figure : main_figures()) {
        std::vector<double> values;
        for (const RankRow &row : report.ranks)
            if (const auto value = figure.of(row))
                values.push_back(*value);
        if (values.empty())
            continue;
        std::sort(values.begin(), values.end());
        Json points = Json::array();
        for (size_t i = 0; i < quantile_points; i++)
            points.push_back(
                page_value(values[i * (values.size() - 1) / (quantile_points - 1)], bar_digits));
        columns.add(figure.name, std::move(points));
    }
    return columns.json();
}

// Of too many nodes those that differ most from the others are kept; by row of the report.
static std::vector<size_t> listed_node_rows(const Report &report)
{
    std::vector<size_t> rows(report.nodes.size());
    std::iota(rows.begin(), rows.end(), size_t{0});
    if (rows.size() <= listed_nodes)
        return rows;
    std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
        return report.nodes[a].compute_s < report.nodes[b].compute_s;
    });
    constexpr auto half = static_cast<std::ptrdiff_t>(listed_nodes / 2);
    rows.erase(rows.begin() + half, rows.end() - half);
    std::sort(rows.begin(), rows.end());
    return rows;
}

// For each figure the median, how many nodes stand out, and how much the listed nodes differ.
static Json judged_figures(const std::vector<NodeFigure> &figures, const std::vector<size_t> &rows)
{
    Json json = Json::object();
    for (const NodeFigure &figure : figures) {
        Json slower = Json::object();
        for (const NodeDifference &node : figure.different) {
            const auto at = std::lower_bound(rows.begin(), rows.end(), node.node);
            if (at != rows.end() && *at == node.node)
                slower[std::to_string(at - rows.begin())] = page_value(node.percent, shown_digits);
        }
        json[figure.metric ? fmt::format("m{}", *figure.metric) : figure.name] = {
            page_value(figure.median), figure.stand_out, std::move(slower)};
    }
    return json;
}

Json html_nodes(const Report &report)
{
    const std::vector<size_t> rows = listed_node_rows(report);
    std::vector<NodeRow> nodes;
    for (const size_t row : rows)
        nodes.push_back(report.nodes[row]);
    std::map<std::string, Bin> ranks;
    for (const RankRow &row : report.ranks)
        ranks[row.host].ranks.push_back(&row);
    ColumnsOf<NodeRow> columns = page_columns(nodes, report);
    columns.add("slowest_rank", [&](const NodeRow &node) -> std::optional<uint32_t> {
        const auto &on_node = ranks[node.host].ranks;
        if (on_node.empty())
            return std::nullopt;
        return (*std::max_element(
                    on_node.begin(), on_node.end(),
                    [](const RankRow *a, const RankRow *b) { return a->compute_s < b->compute_s; }))
            ->rank;
    });
    TextNumbers facts;
    columns.add("facts", [&](const NodeRow &node) {
        std::string text;
        for (const auto &[key, value] : node.facts)
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", key, value);
        return facts.number(text);
    });
    for (const auto &[name, of] : numbered_figures(report))
        if (name.starts_with('m'))
            columns.add(
                name,
                [&, of = of](const NodeRow &node) { return summarise(ranks[node.host], of).mean; },
                bar_digits);
    Json json = columns.json();
    json["all"] = report.nodes.size();
    json["far_percent"] = page_value(100 * placement_limits.node_stands_out_share);
    json["figures"] = judged_figures(node_figures(report), rows);
    json["facts"] = facts.json();
    return json;
}

}  // namespace mprof
