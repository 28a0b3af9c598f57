// The run over time: what the section "When" draws.
//
// A state is a share of its bin, in a byte per bin and row: in per cent, and what rounding takes
// from one bin goes to the next one. So sums over many bins stay right, and a share of 0.4% that
// lasts is not lost. The mean over ranks has two bytes. Both are packed: most bytes are zero.
#include "render/html/data/html_data.h"

#include "render/html/data/html_page.h"
#include "report/time_window.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>

namespace mprof {
namespace {

// In the order of time_colours, without computing, which is what they leave. Behind them comes what
// is missing in a bin because the rank began later or left earlier. So html/page/when/time_data.js
// reads them.
constexpr size_t shown_states =
    std::count_if(std::begin(time_colours) + 1, std::end(time_colours),
                  [](const TimeColourRow &row) { return *row.words != '\0'; });
constexpr size_t planes = shown_states + 1;

double seconds_of_kind(const TimeSplit &split, std::string_view kind)
{
    double sum_s = 0;
    for (const TimeStateRow &row : time_states)
        if (row.seconds != nullptr && row.kind == kind)
            sum_s += split.*row.seconds;
    return sum_s;
}

double shown_seconds(const TimeSplit &split, size_t plane)
{
    return seconds_of_kind(split, time_colours[plane + 1].kind);
}

void add_split(TimeSplit &sum, const TimeSplit &split)
{
    for (const auto state : split_states)
        sum.*state += split.*state;
}

// How many bins of the Report one of the page holds.
size_t bins_together(const TimeLine &time)
{
    const size_t most = time.rows.size() <= few_time_rows ? most_time_bins : most_time_bins / 2;
    return (time.bins.size() + most - 1) / most;
}

std::vector<TimeSplit> joined_bins(const std::vector<TimeSplit> &bins, size_t together)
{
    std::vector<TimeSplit> joined((bins.size() + together - 1) / together);
    for (size_t bin = 0; bin < bins.size(); bin++)
        add_split(joined[bin / together], bins[bin]);
    return joined;
}

// Of bins that become one: the call of the one with most MPI time.
std::vector<uint32_t> joined_calls(const TimeRow &row, size_t together)
{
    std::vector<uint32_t> joined((row.bins.size() + together - 1) / together);
    std::vector<double> most(joined.size(), -1);
    for (size_t bin = 0; bin < std::min(row.bins.size(), row.call_lines.size()); bin++) {
        const size_t at = bin / together;
        if (row.bins[bin].mpi_s() <= most[at])
            continue;
        most[at] = row.bins[bin].mpi_s();
        joined[at] = row.call_lines[bin];
    }
    return joined;
}

void join_bins(std::vector<TimeRow> &rows, size_t together)
{
    for (TimeRow &row : rows) {
        row.call_lines = joined_calls(row, together);
        row.bins = joined_bins(row.bins, together);
    }
}

// Shares of a plane in bins of a row, in steps of 1 / `whole`.
std::vector<unsigned> levels(const std::vector<TimeSplit> &bins, size_t plane, double bin_s,
                             unsigned whole)
{
    std::vector<unsigned> steps;
    double left_over = 0;
    for (const TimeSplit &bin : bins) {
        const double seconds =
            plane < shown_states ? shown_seconds(bin, plane) : bin_s - bin.all_s();
        const double exact = whole * seconds / bin_s + left_over;
        // What lasts for ever in a bin that has no room cannot be caught up.
        const double rounded = std::clamp(std::round(exact), 0.0, static_cast<double>(whole));
        left_over = std::clamp(exact - rounded, -0.5, 0.5);
        steps.push_back(static_cast<unsigned>(rounded));
    }
    return steps;
}

std::string row_levels(const std::vector<TimeRow> &rows, double bin_s)
{
    constexpr unsigned whole = 100;
    std::string bytes;
    for (size_t plane = 0; plane < planes; plane++)
        for (const TimeRow &row : rows)
            for (const unsigned level : levels(row.bins, plane, bin_s, whole))
                bytes += static_cast<char>(level);
    return packed_text(bytes);
}

std::string mean_levels(const TimeLine &time, size_t together, double bin_s)
{
    constexpr unsigned whole = 10'000;
    std::vector<TimeSplit> bins;
    for (const TimeBin &bin : time.bins)
        bins.push_back(bin.split);
    bins = joined_bins(bins, together);
    std::string bytes;
    for (size_t plane = 0; plane < planes; plane++)
        for (const unsigned level : levels(bins, plane, bin_s, whole)) {
            bytes += static_cast<char>(level & 255U);
            bytes += static_cast<char>(level >> 8U);
        }
    return packed_text(bytes);
}

// The calls with most MPI time of each bin and row: numbers of `names` + 1 in a byte.
void add_calls(Json &json, const std::vector<TimeRow> &rows, const Report &report)
{
    constexpr size_t most_names = 254;
    std::map<uint32_t, size_t> numbers;
    std::vector<CallLineRow> names;
    std::string bytes;
    for (const TimeRow &row : rows)
        for (const uint32_t line : row.call_lines) {
            const bool is_known = line > 0 && line <= report.call_lines.size();
            if (is_known && !numbers.contains(line) && names.size() < most_names) {
                numbers[line] = names.size() + 1;
                names.push_back(report.call_lines[line - 1]);
            }
            const auto at = numbers.find(line);
            bytes += static_cast<char>(at == numbers.end() ? 0 : at->second);
        }
    if (names.empty())
        return;
    json["calls"] = packed_text(bytes);
    json["call_names"] = columns_of(names)
                             .add("place", &CallLineRow::words)
                             .add("function", &CallLineRow::function)
                             .json();
}

Json row_columns(const std::vector<TimeRow> &rows)
{
    return columns_of(rows)
        .add("first", &TimeRow::first_rank)
        .add("ranks", &TimeRow::ranks)
        .add("outlier", &TimeRow::outlier)
        .add(
            "compute_s",
            [](const TimeRow &row) {
                double sum = 0;
                for (const TimeSplit &bin : row.bins)
                    sum += bin.compute_s;
                return sum;
            },
            bar_digits)
        .json();
}

// What the map and the lens show alike.
Json rows_json(std::vector<TimeRow> rows, size_t together, const Report &report)
{
    join_bins(rows, together);
    Json json = {{"row_facts", row_columns(rows)},
                 {"levels", row_levels(rows, report.time.bin_s * static_cast<double>(together))}};
    add_calls(json, rows, report);
    return json;
}

// Null if the map shows each rank.
Json details_json(size_t together, const Report &report)
{
    const std::vector<TimeDetail> &details = report.time.details;
    if (details.empty())
        return nullptr;
    Json json = rows_json({details.begin(), details.end()}, together, report);
    json["hosts"] = columns_of(details).add("host", &TimeDetail::host).json();
    return json;
}

Json seconds_json(const std::vector<double> &sums)
{
    Json seconds = Json::array();
    for (const double sum : sums)
        seconds.push_back(page_value(sum, shown_digits));
    return seconds;
}

// Seconds in which the average GPU computes, communicates or copies. It has bins of its own.
Json gpu_busy_seconds(const Report &report, size_t together)
{
    const TimeLine &time = report.time;
    const double bin_s = time.bin_s * static_cast<double>(together);
    std::vector<double> sums((time.bins.size() + together - 1) / together);
    for (const GpuTimeRow &row : report.gpu_time) {
        const double busy =
            (row.computing_percent + row.communicating_percent + row.moving_percent) / 100;
        const double begin_s = std::max(0.0, row.begin_s - time.bins.front().begin_s);
        const double end_s = row.begin_s - time.bins.front().begin_s + row.length_s;
        for (auto bin = static_cast<size_t>(begin_s / bin_s); bin < sums.size(); bin++) {
            const double bin_begin_s = static_cast<double>(bin) * bin_s;
            if (bin_begin_s >= end_s)
                break;
            sums[bin] += busy * std::max(0.0, std::min(end_s, bin_begin_s + bin_s) -
                                                  std::max(begin_s, bin_begin_s));
        }
    }
    return seconds_json(sums);
}

// Seconds of the average rank, of bins that become one.
Json nccl_seconds(const std::vector<NcclTimeRow> &rows, double NcclTimeRow::*percent,
                  size_t together)
{
    std::vector<double> sums((rows.size() + together - 1) / together);
    for (size_t bin = 0; bin < rows.size(); bin++)
        sums[bin / together] += rows[bin].*percent / 100 * rows[bin].length_s;
    return seconds_json(sums);
}

// Of bins that become one, sums; of the duration of a step, the mean of those that have one.
Json bin_columns(const Report &report, size_t together)
{
    const TimeLine &time = report.time;
    std::vector<TimeBin> bins((time.bins.size() + together - 1) / together);
    std::vector<double> step_s(bins.size()), with_steps(bins.size());
    for (size_t bin = 0; bin < time.bins.size(); bin++) {
        TimeBin &sum = bins[bin / together];
        sum.calls += time.bins[bin].calls;
        sum.bytes += time.bins[bin].bytes;
        sum.read_bytes += time.bins[bin].read_bytes;
        sum.written_bytes += time.bins[bin].written_bytes;
        const bool has_step =
            time.steps && bin < time.steps->duration_s.size() && time.steps->duration_s[bin] > 0;
        step_s[bin / together] += has_step ? time.steps->duration_s[bin] : 0;
        with_steps[bin / together] += has_step ? 1 : 0;
    }
    const auto columns = columns_of(bins)
                             .add("calls", &TimeBin::calls, shown_digits)
                             .add("bytes", &TimeBin::bytes, shown_digits)
                             .add("read_bytes", &TimeBin::read_bytes, shown_digits)
                             .add("written_bytes", &TimeBin::written_bytes, shown_digits);
    HtmlColumns all = columns.columns();
    Json steps = Json::array();
    for (size_t bin = 0; bin < bins.size(); bin++)
        steps.push_back(with_steps[bin] > 0 ? page_value(step_s[bin] / with_steps[bin], bar_digits)
                                            : Json(nullptr));
    all.add("step_s", std::move(steps));
    if (!report.gpu_time.empty())
        all.add("gpu_busy_s", gpu_busy_seconds(report, together));
    if (const std::vector<NcclTimeRow> &rows = report.nccl_time; !rows.empty()) {
        all.add("nccl_s", nccl_seconds(rows, &NcclTimeRow::running_percent, together));
        all.add("nccl_wait_s", nccl_seconds(rows, &NcclTimeRow::waiting_percent, together));
    }
    return all.json();
}

Json phase_columns(const std::vector<PhaseRow> &phases)
{
    auto columns = columns_of(phases, listed_phases);
    columns.add("name", &PhaseRow::name)
        .add("source", [](const PhaseRow &row) { return Json(text_of(row.source)); })
        .add("from_s", &PhaseRow::from_s)
        .add("to_s", &PhaseRow::to_s)
        .add("share", &PhaseRow::wallclock_share, bar_digits)
        .add("mpi_percent", &PhaseRow::mpi_percent, bar_digits)
        .add("wait_s", &PhaseRow::wait_s, bar_digits)
        .add("slowest_rank", &PhaseRow::slowest_rank)
        .add("slowest_over", &PhaseRow::slowest_over, shown_digits)
        .add("place", &PhaseRow::place)
        .add("function", &PhaseRow::function)
        .add("state", [](const PhaseRow &row) { return Json(text_of(row.state)); })
        .add("headline", [](const PhaseRow &row) { return with_signs(row.headline); });
    for (size_t i = 0; i <= shown_states; i++) {
        const std::string kind = time_colours[i].kind;
        columns.add(
            kind + "_split_s",
            [&](const PhaseRow &row) { return seconds_of_kind(row.split, kind); }, bar_digits);
    }
    if (!phases.empty() && phases.front().nccl_s)
        columns.add("nccl_s", &PhaseRow::nccl_s).add("nccl_wait_s", &PhaseRow::nccl_wait_s);
    return columns.json();
}

Json step_facts(const std::optional<StepFacts> &steps)
{
    if (!steps)
        return nullptr;
    return {{"steps", steps->steps},
            {"place", page_value(steps->place)},
            {"first_s", page_value(steps->first_s)},
            {"last_s", page_value(steps->last_s)},
            {"mean_s", page_value(steps->mean_s)}};
}

// By cause: its words, whether a rank has most of it, and what it costs in each window.
Json costs_data(const std::vector<AccountWindow> &windows)
{
    Json causes = Json::array();
    for (const WindowCause &cause : window_causes) {
        Json costs = Json::array();
        for (const AccountWindow &window : windows)
            costs.push_back(page_value(window.*cause.cost_s, bar_digits));
        causes.push_back({cause.words, cause.is_of_rank, costs});
    }
    Json ranks = Json::array();
    for (const AccountWindow &window : windows)
        ranks.push_back(page_value(window.rank));
    const double window_s = windows.empty() ? 0 : windows.front().to_s - windows.front().from_s;
    return {{"window_s", page_value(window_s)},
            {"told", phase_limits.window_cost},
            {"ranks", ranks},
            {"causes", causes}};
}

}  // namespace

Json html_time(const Report &report)
{
    const TimeLine &time = report.time;
    if (!time.known || time.bins.size() < 2 || time.rows.empty() || !(time.bin_s > 0))
        return nullptr;
    const size_t together = bins_together(time);
    const double bin_s = time.bin_s * static_cast<double>(together);
    Json json = rows_json(grouped_rows(time, most_time_groups), together, report);
    json["details"] = details_json(together, report);
    json["bin_s"] = page_value(bin_s, total_digits);
    json["begin_s"] = page_value(time.bins.front().begin_s);
    json["mean"] = mean_levels(time, together, bin_s);
    json["bins"] = bin_columns(report, together);
    json["phases"] = phase_columns(time.phases);
    json["steps"] = step_facts(time.steps);
    json["costs"] = costs_data(report.accounts.windows);
    json["headline"] = page_value(with_signs(time.headline));
    json["drift"] = page_value(with_signs(time.drift));
    json["clock_residual_s"] = page_value(time.clock_residual_s);
    return json;
}

}  // namespace mprof
