// Noise is told as mprof diff tells it (diff/noise_band.h).
#include "archive/line_changes.h"

#include "archive/fleet.h"
#include "diff/noise_band.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mprof {
namespace {

constexpr size_t compared_runs = 10;  // on each side
constexpr size_t most_changes = 8;

using LineKey = std::pair<std::string, std::string>;  // place, function

void fill_side(const std::vector<LinesOfRun> &runs, bool is_after,
               std::map<LineKey, Values> &values)
{
    for (size_t i = 0; i < runs.size(); i++)
        for (const ArchivedLine &line : runs[i].lines) {
            Values &both = values[{line.place, line.function}];
            std::vector<double> &side = is_after ? both.b : both.a;
            side.resize(runs.size());  // a run without the line took no time there
            side[i] += line.time_s / static_cast<double>(std::max<int64_t>(runs[i].ranks, 1));
        }
}

std::vector<double> column(const std::vector<LinesOfRun> &runs, double LinesOfRun::*member)
{
    std::vector<double> values;
    for (const LinesOfRun &run : runs)
        values.push_back(run.*member);
    return values;
}

LineChange line_change(const LineKey &key, const Values &values, double least)
{
    const Change change = change_of_times(values, least);
    return {key.first,
            key.second,
            change.a,
            change.b,
            change.difference,
            change.noise,
            change.outcome != Outcome::same};
}

bool read_side(Archive &archive, const RunSeries &series, size_t begin, size_t end,
               std::vector<LinesOfRun> &side)
{
    for (size_t i = begin; i < end; i++) {
        const RunPoint &run = series.runs[i];
        LinesOfRun lines = {run.wallclock_s, run.compute_s, series.ranks, {}};
        if (!archive.read_lines(run.run, lines.lines))
            return false;
        if (!lines.lines.empty())
            side.push_back(std::move(lines));
    }
    return true;
}

}  // namespace

std::vector<LineChange> compare_lines(const std::vector<LinesOfRun> &before,
                                      const std::vector<LinesOfRun> &after)
{
    std::vector<LineChange> changes;
    if (before.empty() || after.empty())
        return changes;
    const Values wallclock = {column(before, &LinesOfRun::wallclock_s),
                              column(after, &LinesOfRun::wallclock_s)};
    const double least = least_part_seconds(wallclock);
    std::map<LineKey, Values> values;
    fill_side(before, false, values);
    fill_side(after, true, values);
    for (auto &[key, both] : values) {
        both.a.resize(before.size());
        both.b.resize(after.size());
        LineChange change = line_change(key, both, least);
        if (change.beyond_noise)
            changes.push_back(std::move(change));
    }
    changes.push_back(line_change(
        {"", "compute"},
        {column(before, &LinesOfRun::compute_s), column(after, &LinesOfRun::compute_s)}, least));
    std::stable_sort(changes.begin(), changes.end(), [](const LineChange &a, const LineChange &b) {
        return std::abs(a.difference_s) > std::abs(b.difference_s);
    });
    if (changes.size() > most_changes)
        changes.resize(most_changes);
    return changes;
}

bool add_line_changes(Archive &archive, Fleet &fleet)
{
    for (RunSeries &series : fleet.series) {
        const SeriesChange *const counted = series.last_change();
        if (counted == nullptr)
            continue;
        SeriesChange &change = series.changes[static_cast<size_t>(counted - series.changes.data())];
        std::vector<LinesOfRun> before, after;
        const size_t from = change.at - std::min({change.at, compared_runs, change.runs_before});
        const size_t to = change.at + std::min(change.runs_after, compared_runs);
        if (!read_side(archive, series, from, change.at, before) ||
            !read_side(archive, series, change.at, to, after))
            return false;
        change.lines = compare_lines(before, after);
    }
    return true;
}

}  // namespace mprof
