// The run over time in groups of rows, and the figures of a window of it.
#include "report/time_window.h"

#include "report/number_text.h"
#include "report/spread.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <span>

namespace mprof {

// A row stands out of its group by the sum of what its bins differ from the mean of the run,
// compared with the others of the group. The mean of a small group would be much like the one that
// is unlike.

namespace {

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
    if (*furthest <= phase_limits.outlier_factor * lower_median(distances) +
                         phase_limits.outlier_run_share * run_s)
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

namespace {

// The part of each bin that is in the window.
std::vector<double> parts_of(const TimeLine &time, double from_s, double to_s)
{
    std::vector<double> parts;
    for (const TimeBin &bin : time.bins) {
        const double begin_s = std::max(from_s, bin.begin_s);
        const double end_s = std::min(to_s, bin.begin_s + time.bin_s);
        parts.push_back(std::clamp((end_s - begin_s) / time.bin_s, 0.0, 1.0));
    }
    return parts;
}

void add_lines(const Report &report, const std::vector<double> &parts, TimeWindow &window)
{
    std::map<uint32_t, double> times_s;
    double ranks = 0;
    for (const TimeRow &row : report.time.rows) {
        if (row.call_lines.empty())
            continue;
        ranks += 1;
        for (size_t i = 0; i < parts.size(); i++)
            if (row.call_lines[i] != 0)
                times_s[row.call_lines[i]] += parts[i] * row.bins[i].mpi_s();
    }
    for (const auto &[line, time_s] : times_s)
        if (line <= report.call_lines.size() && time_s > 0)
            window.lines.push_back({report.call_lines[line - 1].function,
                                    report.call_lines[line - 1].place, time_s / ranks});
    std::stable_sort(window.lines.begin(), window.lines.end(),
                     [](const WindowLine &a, const WindowLine &b) { return a.time_s > b.time_s; });
}

void find_slowest(const Report &report, const std::vector<double> &parts, TimeWindow &window)
{
    std::vector<double> busy_s;
    for (const TimeRow &row : report.time.rows) {
        double sum_s = 0;
        for (size_t i = 0; i < parts.size(); i++)
            sum_s += parts[i] * row.bins[i].busy_s();
        if (window.slowest_rank && sum_s <= window.slowest_s) {
            busy_s.push_back(sum_s);
            continue;
        }
        window.slowest_rank = row.outlier.value_or(row.first_rank);
        window.slowest_s = sum_s;
        busy_s.push_back(sum_s);
    }
    if (busy_s.empty())
        return;
    window.median_s = lower_median(std::move(busy_s));
}

// Windows of the accounts that are partly in it count in part. The rank is that of the one in
// which uneven work costs most.
void add_costs(const std::vector<AccountWindow> &windows, TimeWindow &window)
{
    double most_s = 0;
    for (const AccountWindow &each : windows) {
        const double both_s =
            std::min(window.to_s, each.to_s) - std::max(window.from_s, each.from_s);
        const double part = std::clamp(both_s / (each.to_s - each.from_s), 0.0, 1.0);
        for (const WindowCause &cause : window_causes)
            window.costs.*cause.cost_s += part * each.*cause.cost_s;
        if (part * each.uneven_s <= most_s)
            continue;
        most_s = part * each.uneven_s;
        window.costs.rank = each.rank;
    }
}

std::string with_cost(const std::string &words, const TimeWindow &window)
{
    const std::string cost = cost_words(window);
    return cost.empty() ? words : words + " " + cost;
}

}  // namespace

std::string cost_words(const TimeWindow &window)
{
    const WindowCause *most = window_causes.data();
    for (const WindowCause &cause : window_causes)
        if (window.costs.*cause.cost_s > window.costs.*most->cost_s)
            most = &cause;
    const double cost_s = window.costs.*most->cost_s;
    if (cost_s < phase_limits.window_cost * (window.to_s - window.from_s))
        return "";
    return fmt::format("It would take {} less {}{}.", duration_text(cost_s), most->words,
                       most->is_of_rank && window.costs.rank
                           ? fmt::format(": rank {} works longest", *window.costs.rank)
                           : "");
}

TimeWindow window_of(const Report &report, double from_s, double to_s)
{
    const TimeLine &time = report.time;
    TimeWindow window;
    window.from_s = from_s;
    window.to_s = to_s;
    const std::vector<double> parts = parts_of(time, from_s, to_s);
    for (size_t i = 0; i < parts.size(); i++)
        add_part(window.split, time.bins[i].split, parts[i]);
    add_lines(report, parts, window);
    find_slowest(report, parts, window);
    add_costs(report.accounts.windows, window);
    for (const PhaseRow &phase : time.phases)
        if (phase.from_s < to_s - time.bin_s / 2 && phase.to_s > from_s + time.bin_s / 2)
            window.phases.push_back(&phase);
    const auto is_near = [&](double a, double b) { return std::abs(a - b) <= time.bin_s / 2; };
    if (window.phases.size() == 1 && is_near(window.phases[0]->from_s, from_s) &&
        is_near(window.phases[0]->to_s, to_s))
        window.phase = window.phases[0];
    return window;
}

std::string window_words(const TimeWindow &window)
{
    if (window.phase != nullptr)
        return with_cost(window.phase->headline, window);
    const double all_s = window.split.all_s(), mpi_s = window.split.mpi_s();
    if (all_s <= 0 || mpi_s < phase_limits.told_mpi_share * all_s)
        return "The ranks compute; there is hardly any MPI.";
    std::string words = fmt::format("{} of the time is MPI", percent_text(100 * mpi_s / all_s));
    if (window.split.wait_s > 0)
        words +=
            fmt::format(", {} of that waiting", percent_text(100 * window.split.wait_s / mpi_s));
    if (!window.lines.empty()) {
        const WindowLine &line = window.lines.front();
        words += fmt::format(", mostly in {}{}{}", line.function, line.place.empty() ? "" : " at ",
                             line.place);
    }
    return with_cost(words + ".", window);
}

const PhaseRow *find_phase(const Report &report, const std::string &name_or_number)
{
    const auto &phases = report.time.phases;
    for (const PhaseRow &phase : phases)
        if (phase.name == name_or_number)
            return &phase;
    for (const PhaseRow &phase : phases)
        if (phase.name.starts_with(name_or_number + " "))
            return &phase;
    const bool is_number = !name_or_number.empty() && name_or_number.size() < 4 &&
                           std::all_of(name_or_number.begin(), name_or_number.end(),
                                       [](char c) { return c >= '0' && c <= '9'; });
    const size_t number = is_number ? std::stoul(name_or_number) : 0;
    return number == 0 || number > phases.size() ? nullptr : &phases[number - 1];
}

std::string phase_title(const PhaseRow &phase)
{
    const std::string &name = phase.name;
    const size_t end = name.find_last_not_of("0123456789");
    const bool has_number = end != std::string::npos && end + 1 < name.size() && name[end] == ' ';
    return has_number ? name.substr(0, end) : name;
}

std::string phase_kind(const PhaseRow &phase)
{
    std::string title = phase_title(phase);
    if (phase.source != PhaseSource::call_site || title != phase.place)
        return title;
    return phase.place.substr(0, phase.place.rfind(':')) + " " + phase.function;
}

}  // namespace mprof
