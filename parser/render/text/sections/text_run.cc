// Sections about the run as a whole: where a rank spends most time, sums over the ranks, their
// computing at a glance, the other worlds of the run, and what ranks use of the machine.
#include "render/text/sections/text_sections.h"
#include "render/text/text_line.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {

namespace {

struct Cost {
    double seconds = 0;  // of the average rank
    std::string words;
};

}  // namespace

std::vector<std::string> place_words(const Report &report, size_t most)
{
    const double ranks = static_cast<double>(std::max<size_t>(1, report.ranks.size()));
    std::vector<Cost> costs;
    for (const CallLineRow &row : report.call_lines)
        costs.push_back({row.mpi_thread_s / ranks,
                         row.place.empty() ? row.function
                                           : fmt::format("{} at {}", row.function, row.words())});
    for (const SegmentRow &row : report.segments)
        costs.push_back(
            {row.time_s / ranks, fmt::format("computing from {} to {}",
                                             segment_end(row.from, row.from_function, "the start"),
                                             segment_end(row.to, row.to_function, "the end"))});
    std::stable_sort(costs.begin(), costs.end(),
                     [](const Cost &a, const Cost &b) { return a.seconds > b.seconds; });
    std::vector<std::string> rows;
    for (const Cost &cost : costs)
        if (cost.seconds > 0 && rows.size() < most)
            rows.push_back(fmt::format("{}, {}", duration_text(cost.seconds), cost.words));
    return rows;
}

namespace {

struct SummaryText {
    std::string name;
    double scale = 1;
    int decimals = 2;
};

SummaryText summary_text(const SummaryRow &row, double mean_wallclock_s)
{
    switch (row.unit) {
    case Unit::bytes: {
        const bool large = row.max >= 1e8;
        return {row.name + (large ? " [GiB]" : " [MiB]"),
                large ? 1.0 / (1U << 30U) : 1.0 / (1U << 20U), 2};
    }
    case Unit::percent:
        return {row.name, 1, 2};
    default:
        return {row.name, 1, decimals_for_seconds(mean_wallclock_s)};
    }
}

// Computing, MPI, and what takes time or memory and is spread unevenly. Percent repeats seconds,
// and bytes sent are in the tables of partners and nodes.
bool is_row_of_short_summary(const SummaryRow &row, double mean_wallclock_s)
{
    if (row.unit == Unit::percent || row.name == "wallclock" || row.name == "sent")
        return false;
    const bool is_much =
        row.unit != Unit::seconds || row.max >= text_rules.run_percent / 100 * mean_wallclock_s;
    return row.name == "compute" || row.name == "MPI" ||
           (is_much && row.mean > 0 && row.max >= text_rules.uneven * row.mean);
}

std::string bar_of_share(double share)
{
    constexpr size_t cells = 30;
    const auto filled =
        static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * double{cells}));
    return std::string(filled, '=') + std::string(cells - filled, '.');
}

std::string summary_line(const SummaryRow &row, const TextScope &scope, double mean_s)
{
    constexpr size_t total = 28, avg = 41, min = 54, max = 67, min_at = 73, max_at = 80,
                     bar_at = 82;
    const SummaryText text = summary_text(row, mean_s);
    const auto number = [&](double value) { return fixed_text(value * text.scale, text.decimals); };
    TextLine line;
    line.left(3, text.name).left(13, ":");
    if (row.total)
        line.right(total, number(*row.total));
    line.right(avg, number(row.mean)).right(min, number(row.min)).right(max, number(row.max));
    if (row.min < row.max)
        line.right(min_at, fmt::format("{}", row.min_rank))
            .right(max_at, fmt::format("{}", row.max_rank));
    if (scope.wide() && row.unit == Unit::seconds)
        line.left(bar_at, bar_of_share(row.share));
    return line.finished();
}

}  // namespace

std::string summary_section(const Report &report, const TextScope &scope)
{
    if (scope.is_short() && report.ranks.size() < 2)
        return "";
    std::string text = TextLine()
                           .left(13, ":")
                           .right(28, "[total]")
                           .right(41, "<avg>")
                           .right(54, "min")
                           .right(67, "max")
                           .right(73, "min@")
                           .right(80, "max@")
                           .finished();
    const double mean_s = report.totals.wallclock_s / static_cast<double>(report.ranks.size());
    for (const SummaryRow &row : report.summary)
        if (!scope.is_short() || is_row_of_short_summary(row, mean_s))
            text += summary_line(row, scope, mean_s);
    return text + "#\n";
}

std::string strip_section(const Report &report, const TextScope &scope)
{
    const uint64_t least =
        scope.is_short() ? text_rules.strip_ranks : text_rules.strip_ranks_of_all;
    if (report.quality.ranks_expected < least)
        return "";
    const RankStrip strip = make_rank_strip(report, scope.width - 16);
    const bool is_flat =
        strip.characters.find_first_not_of(strip.characters[0]) == std::string::npos;
    if (is_flat)
        return "";
    return TextLine().left(3, "compute").left(13, ":").left(value_column, strip.legend).finished() +
           TextLine().left(5, "|" + strip.characters + "|").finished() + "#\n";
}

std::string worlds_section(const Report &report, const TextScope &scope)
{
    constexpr size_t ranks = 20, wallclock = 34, comm = 43, command = 46;
    const auto &worlds = report.worlds;
    if (worlds.empty())
        return "";
    const size_t listed = std::min(scope.most(text_rules.worlds, 20, 20), worlds.size());
    const bool spawned = report.run.world == 0;
    std::string text = TextLine()
                           .left(3, spawned ? "spawned worlds" : "other worlds")
                           .right(wallclock, "wallclock")
                           .right(comm, "%comm")
                           .left(command, "command (all of it: --world N)")
                           .finished();
    for (size_t i = 0; i < listed; i++) {
        const WorldRow &row = worlds[i];
        const std::string words =
            row.command.empty() ? "unknown" : command_without_folder(row.command);
        text += TextLine()
                    .left(3, fmt::format("world {}", row.world))
                    .right(ranks, plural(row.ranks, "rank"))
                    .right(wallclock,
                           fixed_text(row.wallclock_s, decimals_for_seconds(row.wallclock_s)))
                    .right(comm, fixed_text(row.comm_percent, 2))
                    .left(command, shortened(words, scope.width - command + 1))
                    .finished();
        if (!row.remark.empty())
            for (const std::string &line : fold_words(row.remark, scope.width - value_column + 1))
                text += TextLine().left(value_column, line).finished();
    }
    return text + more_line(worlds.size(), listed) + "#\n";
}

namespace {

// A number of any size in ten characters.
std::string short_number(double value)
{
    const double size = std::abs(value);
    if (size >= 1e6 || (size > 0 && size < 1e-3))
        return fmt::format("{:.3e}", value);
    if (size >= 1000 || value == std::floor(value))
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.4g}", value);
}

// Counts of nanoseconds read as seconds; other counts have no unit.
bool is_time(const CounterRow &row)
{
    return row.unit == CounterUnit::nanoseconds;
}

std::string shown_name(const std::string &name, const std::string &unit)
{
    return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

constexpr size_t counter_total = 38, counter_avg = 49, counter_min = 59, counter_max = 69,
                 counter_mpi = 75, counter_max_rank = 80;

std::string counter_line(const CounterRow &row)
{
    const double scale = is_time(row) ? 1e-9 : 1;
    const double percent = row.total > 0 ? 100 * row.in_mpi / row.total : 0;
    TextLine line;
    line.left(3, shortened(shown_name(row.name, is_time(row) ? "s" : ""), 25))
        .right(counter_total, short_number(row.total * scale))
        .right(counter_avg, short_number(row.mean * scale))
        .right(counter_min, short_number(row.min * scale))
        .right(counter_max, short_number(row.max * scale))
        .right(counter_mpi, fixed_text(percent, 1));
    if (row.min < row.max)
        line.right(counter_max_rank, fmt::format("{}", row.max_rank));
    return line.finished();
}

constexpr size_t metric_run = 46, metric_min = 57, metric_max = 68, metric_min_rank = 74,
                 metric_max_rank = 80, metric_formula = 83;

std::string metric_line(const MetricRow &row, size_t width)
{
    TextLine line;
    line.left(3, shown_name(row.name, row.unit))
        .right(metric_run, short_number(row.value))
        .right(metric_min, short_number(row.min))
        .right(metric_max, short_number(row.max));
    if (row.min < row.max)
        line.right(metric_min_rank, fmt::format("{}", row.min_rank))
            .right(metric_max_rank, fmt::format("{}", row.max_rank));
    if (width >= wide_from)
        line.left(metric_formula, shortened(row.formula, width - metric_formula + 1));
    return line.finished();
}

template <class Row>
void add_uneven(const std::vector<Row> &rows, std::string &words)
{
    for (const Row &row : rows)
        if (const Evenness evenness = evenness_of(row); evenness != Evenness::even)
            words +=
                fmt::format("{}{} ({})", words.empty() ? "" : ", ", row.name, text_of(evenness));
}

// One line with what is not evenly spread over the ranks.
std::string uneven_line(const Report &report, size_t width)
{
    std::string words;
    add_uneven(report.counters, words);
    add_uneven(report.metrics, words);
    return keyed_sentence("spread", words, width);
}

}  // namespace

std::string memory_section(const Report &report, const TextScope &scope)
{
    constexpr size_t total = 28, avg = 41, min = 54, max = 67, min_rank = 73, max_rank = 80;
    std::vector<const SummaryRow *> rows;
    for (const SummaryRow &row : report.memory)
        if (!scope.is_short() || (row.mean > 0 && row.max >= text_rules.uneven * row.mean))
            rows.push_back(&row);
    if (rows.empty())
        return "";
    double largest = 0;
    for (const SummaryRow &row : report.memory)
        largest = std::max(largest, row.max);
    const bool large = largest >= 1e8;
    const double scale = large ? 1.0 / (1U << 30U) : 1.0 / (1U << 20U);
    const auto number = [scale](double bytes) { return fixed_text(bytes * scale, 2); };
    TextLine head;
    head.left(3, large ? "memory [GiB]" : "memory [MiB]")
        .right(total, "[total]")
        .right(avg, "<avg>")
        .right(min, "min")
        .right(max, "max")
        .right(min_rank, "min@")
        .right(max_rank, "max@");
    std::string text = head.finished();
    for (const SummaryRow *row : rows) {
        TextLine line;
        line.left(3, row->name)
            .left(13, ":")
            .right(total, number(row->total.value_or(0)))
            .right(avg, number(row->mean))
            .right(min, number(row->min))
            .right(max, number(row->max));
        if (row->min < row->max)
            line.right(min_rank, fmt::format("{}", row->min_rank))
                .right(max_rank, fmt::format("{}", row->max_rank));
        text += line.finished();
    }
    return text + "#\n";
}

std::string counters_section(const Report &report, const TextScope &scope)
{
    if (report.counters.empty())
        return "";
    const size_t counters = scope.is_short() ? text_rules.counters : report.counters.size();
    const size_t metrics = scope.is_short() ? text_rules.metrics : report.metrics.size();
    std::string text = TextLine()
                           .left(3, "counters")
                           .right(counter_total, "[total]")
                           .right(counter_avg, "<avg>")
                           .right(counter_min, "min")
                           .right(counter_max, "max")
                           .right(counter_mpi, "%mpi")
                           .right(counter_max_rank, "max@")
                           .finished();
    for (size_t i = 0; i < std::min(counters, report.counters.size()); i++)
        text += counter_line(report.counters[i]);
    text += more_line(report.counters.size(), counters);
    if (report.metrics.empty())
        return text + uneven_line(report, scope.width) + "#\n";
    text += "#\n";
    text += TextLine()
                .left(3, "metrics")
                .right(metric_run, "[run]")
                .right(metric_min, "min")
                .right(metric_max, "max")
                .right(metric_min_rank, "min@")
                .right(metric_max_rank, "max@")
                .finished();
    for (size_t i = 0; i < std::min(metrics, report.metrics.size()); i++)
        text += metric_line(report.metrics[i], scope.width);
    return text + more_line(report.metrics.size(), metrics) + uneven_line(report, scope.width) +
           "#\n";
}

}  // namespace mprof
