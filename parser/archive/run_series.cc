// Levels of a series, and what changed beside them.
#include "archive/run_series.h"

#include "analyse/time/change_points.h"
#include "archive/archived_run.h"
#include "report/number_text.h"
#include "report/spread.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace mprof {

// Logarithms are cut, so that noise and change are shares. Single slow runs are clipped first, as
// they say nothing about a level. The cuts are the optimal ones (analyse/time/change_points.h) for
// a low penalty. Then neighbours that do not differ beyond the noise are joined again; there the
// noise counts for more where one run is like the one before (a warm week, a full file system).

namespace {

constexpr size_t window = 11;           // runs around one, for the local median
constexpr double of_normal = 1.4826;    // standard deviation / median distance from the median
constexpr double least_noise = 0.0005;  // what clocks and rounding do in any case
constexpr double cut_penalty = 10;      // of a cut, in squares of the noise
constexpr double most_memory = 0.9;     // how much a run can be like the one before

std::vector<double> logarithms(const std::vector<double> &values)
{
    std::vector<double> logs;
    logs.reserve(values.size());
    for (const double value : values)
        logs.push_back(std::log(std::max(value, 1e-9)));
    return logs;
}

// How far each run is from the median of those around it.
std::vector<double> local_medians(const std::vector<double> &logs)
{
    std::vector<double> medians;
    const size_t wide = std::min(window, logs.size());
    for (size_t i = 0; i < logs.size(); i++) {
        const size_t begin = std::min(i > wide / 2 ? i - wide / 2 : 0, logs.size() - wide);
        medians.push_back(median_of({logs.begin() + static_cast<long>(begin),
                                     logs.begin() + static_cast<long>(begin + wide)}));
    }
    return medians;
}

double deviation_of(std::vector<double> distances)
{
    for (double &distance : distances)
        distance = std::abs(distance);
    return distances.empty() ? least_noise
                             : std::max(least_noise, of_normal * median_of(std::move(distances)));
}

std::vector<double> clipped(const std::vector<double> &logs)
{
    const std::vector<double> medians = local_medians(logs);
    std::vector<double> distances;
    for (size_t i = 0; i < logs.size(); i++)
        distances.push_back(logs[i] - medians[i]);
    const double most = 3 * deviation_of(distances);
    std::vector<double> result;
    for (size_t i = 0; i < logs.size(); i++)
        result.push_back(medians[i] + std::clamp(distances[i], -most, most));
    return result;
}

// Means of `group` runs each; the last group may have more.
Signal grouped(const std::vector<double> &logs, size_t group)
{
    Signal signal;
    const size_t groups = std::max<size_t>(1, logs.size() / group);
    for (size_t g = 0; g < groups; g++) {
        const size_t begin = g * group, end = g + 1 == groups ? logs.size() : begin + group;
        double sum = 0;
        for (size_t i = begin; i < end; i++)
            sum += logs[i];
        signal.push_back({sum / static_cast<double>(end - begin)});
    }
    return signal;
}

std::vector<double> differences(const Signal &signal)
{
    std::vector<double> steps;
    for (size_t i = 1; i < signal.size(); i++)
        steps.push_back((signal[i][0] - signal[i - 1][0]) / std::sqrt(2.0));
    return steps;
}

std::vector<size_t> rough_cuts(const std::vector<double> &logs)
{
    const size_t group = (logs.size() + level_rules.most_bins - 1) / level_rules.most_bins;
    const Signal signal = grouped(logs, group);
    const double noise = deviation_of(differences(signal));
    const size_t least = std::max<size_t>(1, level_rules.least_runs / group);
    std::vector<size_t> cuts = best_parts_of(signal, least, cut_penalty * noise * noise);
    for (size_t &cut : cuts)
        cut *= group;
    Signal single;
    for (const double value : logs)
        single.push_back({value});
    if (group > 1)
        settle_cuts(single, 1, 2 * group, cuts);
    return cuts;
}

Level level_of(const std::vector<double> &logs, size_t begin, size_t end)
{
    return {begin, end,
            median_of(
                {logs.begin() + static_cast<long>(begin), logs.begin() + static_cast<long>(end)})};
}

// Standard deviation of a run around its level, and how much it is like the one before (0 to 1).
struct Noise {
    double deviation = least_noise;
    double memory = 0;
};

Noise noise_around(const std::vector<double> &logs, const std::vector<Level> &levels)
{
    std::vector<double> distances;
    double products = 0, squares = 0;
    for (const Level &level : levels)
        for (size_t i = level.begin; i < level.end; i++) {
            const double distance = logs[i] - level.median;
            squares += distance * distance;
            if (i > level.begin)
                products += distance * distances.back();
            distances.push_back(distance);
        }
    Noise noise;
    noise.deviation = deviation_of(distances);
    noise.memory = squares > 0 ? std::clamp(products / squares, 0.0, most_memory) : 0;
    return noise;
}

// By how many standard errors two levels differ; 0 = by less than counts at all.
double score(const Level &a, const Level &b, const Noise &noise)
{
    const double difference = std::abs(b.median - a.median);
    if (difference < std::log1p(level_rules.least_share) ||
        std::min(a.runs(), b.runs()) < level_rules.least_runs)
        return 0;
    const double of_means = 1 / static_cast<double>(a.runs()) + 1 / static_cast<double>(b.runs());
    const double longer = (1 + noise.memory) / (1 - noise.memory);
    // The median of normal noise is 1.25 times as unsure as the mean.
    return difference / (1.25 * noise.deviation * std::sqrt(of_means * longer));
}

// Joins the two neighbours that differ least, until all differ.
void join_alike(const std::vector<double> &logs, std::vector<Level> &levels)
{
    while (levels.size() > 1) {
        const Noise noise = noise_around(logs, levels);
        size_t least = 1;
        double least_score = HUGE_VAL;
        for (size_t i = 1; i < levels.size(); i++)
            if (const double here = score(levels[i - 1], levels[i], noise); here < least_score) {
                least = i;
                least_score = here;
            }
        if (least_score >= level_rules.sure_score)
            return;
        levels[least - 1] = level_of(logs, levels[least - 1].begin, levels[least].end);
        levels.erase(levels.begin() + static_cast<long>(least));
    }
}

}  // namespace

Levels find_levels(const std::vector<double> &values)
{
    Levels result;
    if (values.empty())
        return result;
    const std::vector<double> logs = logarithms(values);
    const std::vector<double> calm = clipped(logs);
    std::vector<size_t> cuts = rough_cuts(calm);
    cuts.push_back(values.size());
    for (size_t i = 1; i < cuts.size(); i++)
        result.levels.push_back(level_of(calm, cuts[i - 1], cuts[i]));
    join_alike(calm, result.levels);
    result.noise = noise_around(calm, result.levels).deviation;
    for (Level &level : result.levels) {
        const double most = level.median + level_rules.outlier_score *
                                               std::max(result.noise, level_rules.least_share / 2);
        for (size_t i = level.begin; i < level.end; i++)
            if (logs[i] > most)
                result.outliers.push_back(i);
        level.median = median_of({values.begin() + static_cast<long>(level.begin),
                                  values.begin() + static_cast<long>(level.end)});
    }
    return result;
}

// A lane is said to change with the time only if nearly all runs just before had one value, nearly
// all just behind another one. Runs so near to the change that they may be on either side of it are
// passed over. No more is claimed: what changes at the same time need not be the cause.

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
    change.commit_before = series.runs[before.end - 1].commit;
    change.commit = series.runs[after.begin].commit;
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
    point.commit = texts_.number(run.commit);
    for (const auto &[name, cost_s] : accounts_of_text(run.accounts))
        point.accounts.push_back({texts_.number(name), cost_s});
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
