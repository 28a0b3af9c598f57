// A lane is said to change with the time only if nearly all runs just before had one value, nearly
// all just behind another one. Runs so near to the change that they may be on either side of it are
// passed over. No more is claimed: what changes at the same time need not be the cause
// (run_series.h).
#include "archive/run_series.h"

#include "archive/run_times.h"
#include "report/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace mprof {
namespace {

constexpr size_t looked_at = 12;  // runs before and behind a change
constexpr size_t most_unsure = 20;
constexpr double place_error = 20;   // in squares of noise / change
constexpr double nearly_all = 0.75;  // of them have the lane's value
constexpr double seconds_per_hour = 3600;
constexpr double alike_share = 0.5;  // of a change: a level so near to the old one is back

// The value that nearly all of these runs have, 0 = none.
uint32_t usual_value(const std::vector<RunPoint> &runs, size_t begin, size_t end, size_t lane)
{
    std::map<uint32_t, size_t> counts;
    for (size_t i = begin; i < end; i++)
        counts[runs[i].lanes[lane]]++;
    for (const auto &[value, count] : counts)
        if (static_cast<double>(count) >= nearly_all * static_cast<double>(end - begin))
            return value;
    return 0;
}

// By how many runs the place of a change may be wrong: the smaller it is, the more.
size_t unsure_runs(const Level &before, const Level &after, double noise)
{
    const double ratio = noise / std::log(after.median / before.median);
    return std::min(most_unsure, static_cast<size_t>(place_error * ratio * ratio));
}

std::vector<LaneChange> lanes_at(const std::vector<RunPoint> &runs, const Level &before,
                                 const Level &after, double noise)
{
    std::vector<LaneChange> changes;
    const size_t unsure =
        std::min({unsure_runs(before, after, noise), before.runs() / 2, after.runs() / 2});
    const size_t last = before.end - unsure, first = after.begin + unsure;
    const size_t from = std::max(before.begin, last - std::min(last, looked_at));
    const size_t to = std::min(after.end, first + looked_at);
    for (size_t lane = 0; lane < lane_count; lane++) {
        const uint32_t old = usual_value(runs, from, last, lane);
        const uint32_t now = usual_value(runs, first, to, lane);
        if (old != 0 && now != 0 && old != now)
            changes.push_back({static_cast<Lane>(lane), old, now});
    }
    return changes;
}

SeriesChange change_between(const RunSeries &series, size_t number)
{
    const Level &before = series.levels.levels[number - 1], &after = series.levels.levels[number];
    SeriesChange change;
    change.at = after.begin;
    change.start = series.runs[after.begin].start;
    change.kind = after.median > before.median ? ChangeKind::slower : ChangeKind::faster;
    change.before_s = before.median;
    change.after_s = after.median;
    change.percent = 100 * (after.median / before.median - 1);
    change.runs_before = before.runs();
    change.runs_after = after.runs();
    change.enough = std::min(before.runs(), after.runs()) >= level_rules.enough_runs;
    const double moved = std::abs(after.median - before.median);
    change.lasts = std::none_of(series.levels.levels.begin() + static_cast<long>(number) + 1,
                                series.levels.levels.end(), [&](const Level &later) {
                                    const double away = change.kind == ChangeKind::slower
                                                            ? later.median - before.median
                                                            : before.median - later.median;
                                    return away < alike_share * moved;
                                });
    change.lanes = lanes_at(series.runs, before, after, series.levels.noise);
    return change;
}

void look_at(RunSeries &series)
{
    std::stable_sort(series.runs.begin(), series.runs.end(),
                     [](const RunPoint &a, const RunPoint &b) { return a.start < b.start; });
    std::vector<double> values;
    values.reserve(series.runs.size());
    for (const RunPoint &run : series.runs)
        values.push_back(run.wallclock_s);
    series.levels = find_levels(values);
    for (size_t i = 1; i < series.levels.levels.size(); i++)
        series.changes.push_back(change_between(series, i));
}

// Of what ranks waited for others, as hours of the run's nodes.
double lost_hours_of(const ArchivedRun &run, double node_hours)
{
    const double all_s = static_cast<double>(run.ranks) * run.wallclock_s;
    return all_s > 0 ? node_hours * std::clamp(run.wait_s.value_or(0) / all_s, 0.0, 1.0) : 0;
}

}  // namespace

uint32_t SharedTexts::number(const std::string &text)
{
    if (text.empty())
        return 0;
    const auto [found, is_new] = numbers_.emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new)
        texts_.push_back(text);
    return found->second;
}

const SeriesChange *RunSeries::last_change() const
{
    const auto found = std::find_if(changes.rbegin(), changes.rend(),
                                    [](const SeriesChange &c) { return c.enough && c.lasts; });
    return found == changes.rend() ? nullptr : &*found;
}

const SeriesChange *RunSeries::unsure_change() const
{
    return changes.empty() || changes.back().enough ? nullptr : &changes.back();
}

std::string RunSeries::words() const
{
    const std::string name = program.empty() ? "unknown program" : program;
    return fmt::format("{}{}{}, {}", name, input.empty() ? "" : ", ", input,
                       plural(static_cast<uint64_t>(ranks), "rank"));
}

// Runs that did not end tell nothing about how long one takes.
void SeriesMaker::add(const ArchivedRun &run)
{
    if (run.complete == 0 || !(run.wallclock_s > 0))
        return;
    RunSeries &series = series_[{run.program, run.input, run.ranks}];
    const auto ranks = static_cast<double>(std::max<int64_t>(run.ranks, 1));
    const auto weight = static_cast<double>(std::max<int64_t>(run.stands_for, 1));
    RunPoint point;
    point.run = run.run;
    point.start = seconds_of_iso(run.start);
    point.wallclock_s = run.wallclock_s;
    point.node_hours = weight * static_cast<double>(std::max<int64_t>(run.nodes, 1)) *
                       run.wallclock_s / seconds_per_hour;
    point.lost_hours = lost_hours_of(run, point.node_hours);
    point.mpi_s = run.mpi_s / ranks;
    point.compute_s = run.compute_s / ranks;
    if (run.wait_s)
        point.wait_s = *run.wait_s / ranks;
    if (run.contention_s)
        point.contention_s = *run.contention_s / ranks;
    point.memory_bytes = static_cast<double>(run.memory_bytes);
    point.stands_for = std::max<int64_t>(run.stands_for, 1);
    point.lanes = {texts_.number(run.mpi_library), texts_.number(run.compiler),
                   texts_.number(run.kernel), texts_.number(run.build_id), texts_.number(run.host)};
    point.slow_host = texts_.number(run.slow_host);
    point.verdict_class = texts_.number(run.verdict_class);
    series.node_hours += point.node_hours;
    series.lost_hours += point.lost_hours;
    series.run_count += point.stands_for;
    series.runs.push_back(std::move(point));
}

std::vector<RunSeries> SeriesMaker::made()
{
    std::vector<RunSeries> all;
    for (auto &[key, series] : series_) {
        std::tie(series.program, series.input, series.ranks) = key;
        look_at(series);
        all.push_back(std::move(series));
    }
    series_.clear();
    std::stable_sort(all.begin(), all.end(), [](const RunSeries &a, const RunSeries &b) {
        return a.lost_hours > b.lost_hours;
    });
    return all;
}

}  // namespace mprof
