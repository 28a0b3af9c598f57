// The sentences of an archive, and what changed by call line. A sentence says what changed at the
// same time, and no more.
#include "archive/fleet.h"

#include "archive/archived_run.h"
#include "diff/noise_band.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace mprof {

namespace {

constexpr size_t most_named = 3;  // in the headline
constexpr size_t most_helped = 3;
constexpr double seconds_per_week = 7 * 86'400;

std::string shown_program(const RunSeries &series)
{
    return series.program.empty() ? "unknown program" : series.program;
}

// "lmp by 18%, cg.x by 9% and 3 others"
std::string named_changes(const std::vector<const RunSeries *> &changed)
{
    std::string words;
    for (size_t i = 0; i < std::min(changed.size(), most_named); i++)
        words += fmt::format("{}{} by {}", i == 0 ? "" : ", ", shown_program(*changed[i]),
                             percent_text(std::abs(changed[i]->last_change()->percent)));
    if (changed.size() > most_named)
        words += fmt::format(" and {}", plural(changed.size() - most_named, "other"));
    return words;
}

size_t programs_of(const std::vector<const RunSeries *> &changed)
{
    std::set<std::string> names;
    for (const RunSeries *series : changed)
        names.insert(series->program);
    return names.size();
}

// What all of them have in common, if they changed within days of each other.
std::string common_cause(const Fleet &fleet)
{
    const SeriesChange &first = *fleet.slower.front()->last_change();
    for (const LaneChange &lane : first.lanes) {
        if (lane.lane == Lane::program || lane.lane == Lane::node)
            continue;
        const bool in_all =
            std::all_of(fleet.slower.begin(), fleet.slower.end(), [&](const RunSeries *series) {
                const auto &lanes = series->last_change()->lanes;
                return std::any_of(lanes.begin(), lanes.end(), [&](const LaneChange &other) {
                    return other.lane == lane.lane && other.before == lane.before &&
                           other.after == lane.after;
                });
            });
        if (in_all)
            return fmt::format("With it {}{}. ", lane_words(lane, fleet.texts),
                               first.lanes.size() == 1 ? ", and nothing else that runs record"
                                                       : "");
    }
    return "";
}

// Node-hours a week that the new levels take more than the old ones would.
double new_hours_a_week(const Fleet &fleet)
{
    double hours = 0;
    for (const RunSeries *series : fleet.slower) {
        const SeriesChange &change = *series->last_change();
        double since = 0;
        for (size_t i = change.at; i < series->runs.size(); i++)
            since += series->runs[i].node_hours;
        const double weeks = std::max(1.0, (fleet.to - change.start) / seconds_per_week);
        hours += since * (1 - change.before_s / change.after_s) / weeks;
    }
    return hours;
}

// The page of one program, as continuous integration publishes it, begins with a single run.
std::string nothing_slower_words(const Fleet &fleet)
{
    if (fleet.programs != 1 || fleet.series.empty() || fleet.series.front().program.empty())
        return fmt::format("None of {} is slower than before",
                           plural(fleet.programs, "application"));
    const bool has_several =
        std::any_of(fleet.series.begin(), fleet.series.end(),
                    [](const RunSeries &series) { return series.runs.size() > 1; });
    return fleet.series.front().program +
           (has_several ? " is not slower than before" : " has no two runs to compare yet");
}

void say_answer(Fleet &fleet)
{
    const size_t slower = programs_of(fleet.slower);
    if (slower > 0) {
        fleet.state = Judgement::problem;
        fleet.badge = plural(fleet.slower.size(), "regression");
        fleet.headline =
            fmt::format("{} of {} {} slower: {}", slower, plural(fleet.programs, "application"),
                        slower == 1 ? "is" : "are", named_changes(fleet.slower));
        fleet.sentence = common_cause(fleet) + fmt::format("Together that is {} node-hours a week.",
                                                           hours_text(new_hours_a_week(fleet)));
    } else {
        fleet.state = fleet.unsure.empty() ? Judgement::good : Judgement::watch;
        fleet.badge = "no regression";
        fleet.headline = nothing_slower_words(fleet);
    }
    if (!fleet.faster.empty())
        fleet.sentence += fmt::format("{}Faster: {}.", fleet.sentence.empty() ? "" : " ",
                                      named_changes(fleet.faster));
}

// The class that most of its runs have.
std::string usual_verdict(const RunSeries &series, const SharedTexts &texts)
{
    std::map<uint32_t, size_t> counts;
    for (const RunPoint &run : series.runs)
        counts[run.verdict_class]++;
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    if (most == counts.end() || most->first == 0)
        return "";
    return fmt::format("{} in {} of {}. ", capitalised(texts.text(most->first)), most->second,
                       plural(series.runs.size(), "run"));
}

void say_whom_to_help(Fleet &fleet)
{
    for (const RunSeries &series : fleet.series) {
        if (fleet.helped.size() == most_helped || series.lost_hours <= 0)
            return;
        std::string words = usual_verdict(series, fleet.texts);
        words += fmt::format("{} of its node-hours are spent waiting.",
                             percent_text(100 * series.lost_hours / series.node_hours));
        if (const SeriesChange *const change = series.last_change())
            words += fmt::format(" {} since {}.", signed_percent(change->percent),
                                 day_text(change->start));
        fleet.helped.push_back(
            {fmt::format("{}: {} node-hours lost", series.words(), hours_text(series.lost_hours)),
             std::move(words)});
    }
}

// Nodes that are the slowest one of most single slow runs that they were in.
void find_slow_nodes(Fleet &fleet)
{
    std::map<uint32_t, SlowNode> nodes;
    for (const RunSeries &series : fleet.series) {
        for (const RunPoint &run : series.runs)
            nodes[run.slow_host].runs++;
        for (const size_t outlier : series.levels.outliers)
            nodes[series.runs[outlier].slow_host].slow_runs++;
    }
    for (auto &[number, node] : nodes) {
        node.host = fleet.texts.text(number);
        const double share = static_cast<double>(node.slow_runs) / static_cast<double>(node.runs);
        if (number != 0 && node.slow_runs >= fleet_limits.least_slow_runs &&
            share >= fleet_limits.slow_node_share)
            fleet.slow_nodes.push_back(node);
    }
    std::sort(fleet.slow_nodes.begin(), fleet.slow_nodes.end(),
              [](const SlowNode &a, const SlowNode &b) { return a.slow_runs > b.slow_runs; });
}

void add_up(Fleet &fleet)
{
    std::set<std::string> programs;
    double contended = 0, all = 0;
    for (const RunSeries &series : fleet.series) {
        programs.insert(series.program);
        fleet.runs += series.run_count;
        fleet.node_hours += series.node_hours;
        fleet.lost_hours += series.lost_hours;
        for (const RunPoint &run : series.runs) {
            fleet.from = fleet.from == 0 ? run.start : std::min(fleet.from, run.start);
            fleet.to = std::max(fleet.to, run.start);
            if (run.contention_s && run.wallclock_s > 0) {
                contended += run.node_hours * *run.contention_s / run.wallclock_s;
                all += run.node_hours;
            }
        }
    }
    fleet.programs = programs.size();
    if (all > 0)
        fleet.off_cpu_share = contended / all;
    fleet.lost_state =
        judgement_of(fleet.lost_share(), fleet_limits.watched_lost, fleet_limits.bad_lost);
    fleet.off_cpu_state = judgement_of(fleet.off_cpu_share.value_or(0),
                                       fleet_limits.watched_off_cpu, fleet_limits.bad_off_cpu);
}

}  // namespace

// "the kernel went from 6.1.0-18 to 6.1.0-21"; of the program's build ids the first eight digits.
std::string lane_words(const LaneChange &change, const SharedTexts &texts)
{
    const std::string &before = texts.text(change.before), &after = texts.text(change.after);
    if (change.lane == Lane::program)
        return fmt::format("the program was rebuilt ({} to {})", before.substr(0, 8),
                           after.substr(0, 8));
    return fmt::format("{}{} went from {} to {}", change.lane == Lane::mpi ? "" : "the ",
                       text_of(change.lane), before, after);
}

bool has_new_commit(const SeriesChange &change)
{
    return change.commit != 0 && change.commit != change.commit_before;
}

// A hash is shown by its first letters; another name is short, or the reader's own.
std::string commit_words(const std::string &commit)
{
    constexpr size_t letters_of_hash = 12, least_of_hash = 32;
    const bool is_hash = commit.size() >= least_of_hash &&
                         commit.find_first_not_of("0123456789abcdef") == std::string::npos;
    return is_hash ? commit.substr(0, letters_of_hash) : commit;
}

std::string since_words(const SeriesChange &change, const SharedTexts &texts)
{
    std::string words = day_text(change.start);
    if (!change.enough)
        return fmt::format("{}, {}: too few", words,
                           plural(std::min(change.runs_before, change.runs_after), "run"));
    for (size_t i = 0; i < change.lanes.size(); i++) {
        const LaneChange &lane = change.lanes[i];
        const std::string value = lane.lane == Lane::program ? texts.text(lane.after).substr(0, 8)
                                                             : texts.text(lane.after);
        // The MPI's own name tells that it is one.
        const std::string name = lane.lane == Lane::mpi ? "" : text_of(lane.lane) + " ";
        words += fmt::format("{} {}{}", i == 0 ? ", with" : " and", name, value);
    }
    if (has_new_commit(change))
        words += fmt::format(", at commit {}", commit_words(texts.text(change.commit)));
    return words;
}

std::string steady_words(const RunSeries &series)
{
    if (series.levels.noise > fleet_limits.noisy)
        return fmt::format("noisy: +-{}", percent_text(200 * series.levels.noise));
    if (series.lost_hours > fleet_limits.much_waiting * series.node_hours)
        return fmt::format("{} is waiting",
                           percent_text(100 * series.lost_hours / series.node_hours));
    return "";
}

std::string hours_text(double hours)
{
    if (hours > 0 && hours < 0.01)
        return "<0.01";
    if (hours < 1)
        return fmt::format("{:.2g}", hours);
    if (hours < 99.5)
        return fixed_text(hours, hours < 9.95 ? 1 : 0);
    // Three digits are what a reader can use.
    const double step = std::pow(10, std::floor(std::log10(hours)) - 2);
    return count_with_commas(static_cast<uint64_t>(std::llround(std::round(hours / step) * step)));
}

Fleet look_at_fleet(std::vector<RunSeries> series, SharedTexts texts)
{
    Fleet fleet;
    fleet.version = MPROF_VERSION;
    fleet.series = std::move(series);
    fleet.texts = std::move(texts);
    for (const RunSeries &one : fleet.series) {
        if (const SeriesChange *const change = one.last_change())
            (change->kind == ChangeKind::slower ? fleet.slower : fleet.faster).push_back(&one);
        else if (one.unsure_change() != nullptr)
            fleet.unsure.push_back(&one);
    }
    const auto by_size = [](const RunSeries *a, const RunSeries *b) {
        return std::abs(a->last_change()->percent) > std::abs(b->last_change()->percent);
    };
    std::stable_sort(fleet.slower.begin(), fleet.slower.end(), by_size);
    std::stable_sort(fleet.faster.begin(), fleet.faster.end(), by_size);
    add_up(fleet);
    find_slow_nodes(fleet);
    say_answer(fleet);
    say_whom_to_help(fleet);
    return fleet;
}

// Noise is described as in mprof diff (diff/noise_band.h).

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
