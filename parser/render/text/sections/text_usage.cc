#include "render/text/sections/text_rules.h"
#include "render/text/sections/text_sections.h"

#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
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
