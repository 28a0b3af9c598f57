// Lists of runs as text: mprof list, a table, and mprof archive. In the table, columns are as wide
// as what is in them. Paths come last and are never cut, because people copy them.
#include "archive/archived_run.h"
#include "read/printable_text.h"
#include "render/renderers.h"
#include "render/text/text_line.h"
#include "report/number_text.h"
#include "report/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace mprof {

namespace {

constexpr size_t most_program = 24;
// Columns, of which these are numbers.
constexpr size_t list_columns = 6, list_ranks = 2, list_time = 3;
using ListCells = std::array<std::string, list_columns>;

// As a shell takes it, if it can be printed.
std::string path_cell(const std::string &path)
{
    const std::string printable = printable_text(path);
    return printable == path ? quoted_word(path) : printable;
}

ListCells list_cells(const ListedProfile &row)
{
    const std::string start = minute_text(row.start_s);
    return {start.empty() ? "-" : start,
            row.program.empty() ? "-" : shortened(printable_text(row.program), most_program),
            row.ranks ? std::to_string(*row.ranks) : "-",
            row.wallclock_s ? duration_text(*row.wallclock_s) : "-",
            row.verdict_word(),
            path_cell(row.path)};
}

// Numbers end at the right of their column.
bool is_list_number(size_t column)
{
    return column == list_ranks || column == list_time;
}

std::string list_table(const std::vector<ListCells> &rows)
{
    constexpr size_t between = 2;
    std::array<size_t, list_columns> widths = {};
    for (const ListCells &row : rows)
        for (size_t c = 0; c < list_columns; c++)
            widths.at(c) = std::max(widths.at(c), columns_of_text(row.at(c)));
    std::string text;
    for (const ListCells &row : rows) {
        TextLine line;
        size_t column = 3;
        for (size_t c = 0; c < list_columns; c++) {
            if (is_list_number(c))
                line.right(column + widths.at(c) - 1, row.at(c));
            else
                line.left(column, row.at(c));
            column += widths.at(c) + between;
        }
        text += line.finished();
    }
    return text;
}

// Summer and winter may have two.
std::string list_zones(const ProfileList &list)
{
    std::vector<std::string> zones;
    for (const ListedProfile &row : list.profiles) {
        const std::string zone = zone_text(row.start_s);
        if (std::find(zones.begin(), zones.end(), zone) == zones.end())
            zones.push_back(zone);
    }
    return fmt::format("{}", fmt::join(zones, "; "));
}

std::string list_counts(const ProfileList &list)
{
    const std::string where =
        list.folder == "." ? "here and below" : "below " + printable_text(list.folder);
    std::string words = fmt::format("{} {}", plural(list.found, "profile"), where);
    if (list.fitting != list.found)
        words += fmt::format(", {} as requested", list.fitting);
    if (list.profiles.size() != list.fitting)
        words += fmt::format(", the newest {}", list.profiles.size());
    return words;
}

}  // namespace

std::string render_list_text(const ProfileList &list, size_t given_width)
{
    TextSheet sheet{std::max<size_t>(given_width, 80)};
    sheet.begin(list.version);
    sheet.sentence("profiles", list_counts(list));
    if (!list.profiles.empty()) {
        sheet.sentence("times", "local: " + list_zones(list));
        sheet.empty();
        std::vector<ListCells> rows = {{"begin", "program", "ranks", "time", "verdict", "profile"}};
        for (const ListedProfile &row : list.profiles)
            rows.push_back(list_cells(row));
        sheet.text += list_table(rows);
    }
    if (list.closed_folders > 0)
        sheet.sentence("not seen", fmt::format("{} without permission to search",
                                               plural(list.closed_folders, "folder")));
    if (list.has_deeper)
        sheet.sentence("not seen", "folders deeper down. Name one of them to search it");
    sheet.end();
    return sheet.text;
}

// The answer first, then the applications by what they waste, then each change with what is known
// about it.

namespace {

constexpr size_t listed_series = 25;
constexpr size_t listed_archived_runs = 1000;

// In the zone of the reader, as --since is.
std::string start_words(const ArchivedRun &run)
{
    const auto start_s = static_cast<int64_t>(seconds_of_iso(run.start));
    return start_s == 0 ? run.start.substr(0, 16) : minute_with_zone(start_s);
}

// How people name a run: by its folder, or by the first digits of its number where the archive
// keeps none.
std::string run_cell(const ArchivedRun &run)
{
    constexpr size_t enough = 12;
    return run.folder.empty() ? run.run.substr(0, enough) : path_cell(run.folder);
}

ListCells archived_cells(const ArchivedRun &run)
{
    const std::string name = run.input.empty() ? run.program : run.program + " " + run.input;
    return {start_words(run),
            shortened(name, most_program),
            std::to_string(run.ranks),
            duration_text(run.wallclock_s),
            run.complete == 0           ? "incomplete"
            : run.verdict_class.empty() ? "-"
                                        : run.verdict_class,
            run_cell(run)};
}

std::string archive_end(size_t width)
{
    return "#\n" + std::string(width, '#') + "\n";
}

std::string archive_head(const std::string &version, size_t width)
{
    return banner(version + " archive", width) + "#\n";
}

std::string fleet_sentence(const Fleet &fleet)
{
    return fmt::format("{}, {}, {} to {}; {} node-hours, {} of them lost to waiting",
                       plural(fleet.programs, "application"),
                       plural(static_cast<uint64_t>(fleet.runs), "run"), day_text(fleet.from),
                       day_text(fleet.to), hours_text(fleet.node_hours),
                       hours_text(fleet.lost_hours));
}

std::string change_words(const RunSeries &series)
{
    if (const SeriesChange *const change = series.last_change())
        return signed_percent(change->percent);
    if (const SeriesChange *const change = series.unsure_change())
        return signed_percent(change->percent) + "?";
    return "unchanged";
}

// With its lanes, where there is room.
std::string changed_since(const RunSeries &series, const SharedTexts &texts, size_t width)
{
    const SeriesChange *const counted = series.last_change();
    if (const SeriesChange *const change = counted != nullptr ? counted : series.unsure_change())
        return width < wide_from ? day_text(change->start) : since_words(*change, texts);
    if (series.runs.size() < level_rules.enough_runs)
        return "too few runs";
    return fmt::format("noise +-{}", percent_text(200 * series.levels.noise));
}

std::string series_table(const Fleet &fleet, size_t width)
{
    std::string text = TextLine()
                           .left(3, "application, input, size")
                           .right(36, "runs")
                           .right(46, "lost")
                           .right(54, "now")
                           .right(63, "change")
                           .left(65, "since")
                           .finished();
    size_t number = 0;
    for (const RunSeries &series : fleet.series) {
        if (number++ == listed_series)
            break;
        text += TextLine()
                    .left(3, shortened(series.words(), 28))
                    .right(36, std::to_string(series.run_count))
                    .right(46, hours_text(series.lost_hours) + " h")
                    .right(54, duration_text(series.now_s()))
                    .right(63, change_words(series))
                    .left(65, shortened(changed_since(series, fleet.texts, width), width - 64))
                    .finished();
    }
    if (fleet.series.size() > listed_series)
        text += TextLine()
                    .left(3, fmt::format("and {} more: --json, --html",
                                         fleet.series.size() - listed_series))
                    .finished();
    return text;
}

std::string line_words(const LineChange &line)
{
    const std::string difference =
        (line.difference_s < 0 ? "-" : "+") + duration_text(std::abs(line.difference_s));
    return fmt::format("{}{}{} {}{}", line.function, line.place.empty() ? "" : " at ", line.place,
                       difference, line.beyond_noise ? "" : " (within noise)");
}

std::string change_sentence(const RunSeries &series, const SeriesChange &change,
                            const SharedTexts &texts)
{
    std::string words = fmt::format(
        "{}: since {}, a run takes {} instead of {} ({}, noise +-{}; {} before, {} since).",
        series.words(), day_text(change.start), duration_text(change.after_s),
        duration_text(change.before_s), signed_percent(change.percent),
        percent_text(200 * series.levels.noise), change.runs_before, change.runs_after);
    if (has_new_commit(change))
        words += fmt::format(
            " Its first run has commit {}, the run before it {}.",
            commit_words(texts.text(change.commit)),
            change.commit_before == 0 ? "none" : commit_words(texts.text(change.commit_before)));
    if (change.lanes.empty())
        words += " Nothing that runs record about their environment changed with it.";
    for (const LaneChange &lane : change.lanes)
        words += fmt::format(" With it {}.", lane_words(lane, texts));
    for (size_t i = 0; i < change.lines.size(); i++)
        words += (i == 0 ? " By line: " : "; ") + line_words(change.lines[i]);
    return words;
}

// What a run's environment is called on its side of a pair.
std::string pair_sentence(const ArchivedPair &pair)
{
    std::vector<double> a, b;
    for (const ArchivedRun &run : pair.a)
        a.push_back(run.wallclock_s);
    for (const ArchivedRun &run : pair.b)
        b.push_back(run.wallclock_s);
    const double before = median_of(a), after = median_of(b);
    return fmt::format("B takes {} instead of {} ({})", duration_text(after), duration_text(before),
                       signed_percent(100 * (after / before - 1)));
}

}  // namespace

std::string render_archive_text(const Fleet &fleet, size_t given_width)
{
    const size_t width = std::max<size_t>(given_width, 80);
    std::string text = archive_head(fleet.version, width);
    text += keyed_sentence("archive", fleet_sentence(fleet), width);
    text += keyed_sentence("answer", fleet.headline + ". " + fleet.sentence, width);
    for (const Helped &helped : fleet.helped)
        text += keyed_sentence("help", helped.title + ". " + helped.words, width);
    for (const SlowNode &node : fleet.slow_nodes)
        text += keyed_sentence(
            "slow node",
            fmt::format("{} was the slowest node in {}; in {} of these, a single rank was slow",
                        node.host, plural(node.runs, "run"), node.slow_runs),
            width);
    text += "#\n" + series_table(fleet, width);
    std::string changes;
    for (const auto *const list : {&fleet.slower, &fleet.faster})
        for (const RunSeries *series : *list)
            changes += keyed_sentence(list == &fleet.slower ? "slower" : "faster",
                                      change_sentence(*series, *series->last_change(), fleet.texts),
                                      width);
    return text + (changes.empty() ? "" : "#\n" + changes) + archive_end(width);
}

std::string render_history_text(const Fleet &fleet, size_t given_width)
{
    const size_t width = std::max<size_t>(given_width, 80);
    std::string text = archive_head(fleet.version, width);
    for (const RunSeries &series : fleet.series) {
        text += keyed_sentence(
            "history",
            fmt::format("{}: {}, {} to {}, now {}, noise +-{}", series.words(),
                        plural(static_cast<uint64_t>(series.run_count), "run"),
                        day_text(series.runs.front().start), day_text(series.runs.back().start),
                        duration_text(series.now_s()), percent_text(200 * series.levels.noise)),
            width);
        for (const Level &level : series.levels.levels)
            text += keyed_sentence("level",
                                   fmt::format("{} from {} on, {}", duration_text(level.median),
                                               day_text(series.runs[level.begin].start),
                                               plural(level.runs(), "run")),
                                   width);
        for (const SeriesChange &change : series.changes)
            text += keyed_sentence(text_of(change.kind),
                                   change_sentence(series, change, fleet.texts), width);
        for (const size_t outlier : series.levels.outliers) {
            const RunPoint &run = series.runs[outlier];
            const std::string &host = fleet.texts.text(run.slow_host);
            text += keyed_sentence("single",
                                   fmt::format("{}: {}{}{}", day_text(run.start),
                                               duration_text(run.wallclock_s),
                                               host.empty() ? "" : ", slowest on ", host),
                                   width);
        }
        text += "#\n";
    }
    return text + std::string(width, '#') + "\n";
}

std::string render_archived_runs_text(const std::vector<ArchivedRun> &runs, size_t given_width)
{
    const size_t width = std::max<size_t>(given_width, 80);
    const size_t first =
        runs.size() > listed_archived_runs ? runs.size() - listed_archived_runs : 0;
    std::vector<ListCells> rows = {
        {"begin", "program, input", "ranks", "time", "verdict", "profile"}};
    for (size_t i = first; i < runs.size(); i++)
        rows.push_back(archived_cells(runs[i]));
    std::string text = list_table(rows);
    if (first > 0)
        text += TextLine()
                    .left(3, fmt::format("the newest {} of {}; --json has all",
                                         listed_archived_runs, runs.size()))
                    .finished();
    return text + TextLine().left(3, plural(runs.size(), "run")).finished() +
           std::string(width, '#') + "\n";
}

std::string render_archived_pair_text(const ArchivedPair &pair, size_t given_width)
{
    const size_t width = std::max<size_t>(given_width, 80);
    std::string text = archive_head(pair.version, width);
    text += keyed_sentence("answer", pair_sentence(pair), width);
    for (const std::string &words : pair.environment)
        text += keyed_sentence("environment", words, width);
    for (const LineChange &line : pair.lines)
        text += keyed_sentence("by line", line_words(line), width);
    return text + archive_end(width);
}

}  // namespace mprof
