// The page of an archive: the answer as markup that needs no script, and for the script each series
// with its runs. Times and durations of runs are packed as differences of whole numbers, so that
// 100,000 runs are some hundred kB. A long series is given by weeks instead: median and quartiles.
#include "archive/archived_run.h"
#include "archive/fleet_fields.h"
#include "render/html/data/html_page.h"
#include "render/renderers.h"
#include "report/number_text.h"
#include "report/spread.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace mprof {
namespace {

constexpr size_t most_single_runs = 1000;  // of a series, from which on weeks are drawn
constexpr size_t most_drawn_series = 400;
constexpr double seconds_of_hour = 3600;
constexpr double steps_of_median = 1000;  // durations are shown to a thousandth

// ---- the head ----------------------------------------------------------------------------------

std::string card_html(const char *title, const std::string &value, const std::string &note,
                      std::optional<Judgement> state)
{
    const std::string mark = state ? fmt::format("<span class=\"state {}\">{} {}</span>",
                                                 text_of(*state), mark_of(*state), text_of(*state))
                                   : "";
    return fmt::format("<li><div class=\"card-head\"><span>{}</span>{}</div><div class=\"figure\">"
                       "{}</div><p class=\"note\">{}</p></li>\n",
                       title, mark, html_sentence(value), html_sentence(note));
}

std::string fleet_cards(const Fleet &fleet)
{
    const double weeks = std::max(1.0, (fleet.to - fleet.from) / (7 * 86'400));
    std::string html = fmt::format(
        "<div><h2 id=\"figures\">{} to {}</h2>\n<ul class=\"cards\" aria-labelledby=\"figures\">\n",
        day_text(fleet.from), day_text(fleet.to));
    html += card_html("Runs", count_text(static_cast<uint64_t>(fleet.runs)),
                      fmt::format("{} did not end", fleet.incomplete_runs), std::nullopt);
    html += card_html("Node-hours", hours_text(fleet.node_hours),
                      fmt::format("{} a week", hours_text(fleet.node_hours / weeks)), std::nullopt);
    html += card_html("Lost in waiting", percent_text(100 * fleet.lost_share()),
                      fmt::format("{} node-hours", hours_text(fleet.lost_hours)), fleet.lost_state);
    if (fleet.off_cpu_share)
        html += card_html("Kept off the CPU", percent_text(100 * *fleet.off_cpu_share),
                          "ready to run, but others had the CPU", fleet.off_cpu_state);
    html += card_html("Slower", std::to_string(fleet.slower.size()),
                      fmt::format("of {}, beyond the noise of their runs",
                                  plural(fleet.series.size(), "kind") + " of run"),
                      fleet.slower.empty() ? Judgement::good : Judgement::problem);
    const bool has_slow = !fleet.slow_nodes.empty();
    html += card_html("Slow nodes", std::to_string(fleet.slow_nodes.size()),
                      has_slow ? fmt::format("{}: {} of its {}", fleet.slow_nodes[0].host,
                                             fleet.slow_nodes[0].slow_runs,
                                             plural(fleet.slow_nodes[0].runs, "run"))
                               : "no node stands out",
                      has_slow ? Judgement::watch : Judgement::good);
    return html + "</ul></div>\n";
}

std::string fleet_head(const Fleet &fleet)
{
    std::string html =
        fmt::format("<p class=\"badge {}\">{} {}</p>\n<h1>{}</h1>\n"
                    "<p class=\"why\">{}</p>\n<div class=\"beside\">\n<div "
                    "class=\"steps\"><h2>Who should be helped first?</h2>\n<ol>\n",
                    text_of(fleet.state), mark_of(fleet.state), html_text(fleet.badge),
                    html_sentence(fleet.headline + "."), html_sentence(fleet.sentence));
    for (const Helped &helped : fleet.helped)
        html += fmt::format("<li><div class=\"step\"><strong>{}</strong></div><p>{}</p></li>\n",
                            html_sentence(helped.title), html_sentence(helped.words));
    return html + "</ol></div>\n" + fleet_cards(fleet) + "</div>\n";
}

// ---- the data ----------------------------------------------------------------------------------

int64_t step_of(double value, double median)
{
    return median > 0 ? std::llround(value / median * steps_of_median) : 0;
}

// Hours since the first run of the archive, and wallclocks in thousandths of the first median: as
// differences, which pack well.
void add_runs(const RunSeries &series, double from, Json &json)
{
    const double median = series.levels.levels.front().median;
    Json times = Json::array(), values = Json::array();
    int64_t last_hour = 0, last_step = 0;
    for (const RunPoint &run : series.runs) {
        const int64_t hour = std::llround((run.start - from) / seconds_of_hour);
        const int64_t step = step_of(run.wallclock_s, median);
        times.push_back(hour - last_hour);
        values.push_back(step - last_step);
        last_hour = hour;
        last_step = step;
    }
    json["hours"] = times;
    json["steps"] = values;
}

// Of each week: its middle hour, first quartile, median, third quartile.
void add_weeks(const RunSeries &series, double from, Json &json)
{
    const double median = series.levels.levels.front().median;
    Json weeks = Json::array();
    for (size_t begin = 0, end = 0; begin < series.runs.size(); begin = end) {
        std::vector<double> values;
        for (end = begin; end < series.runs.size() &&
                          week_of(series.runs[end].start) == week_of(series.runs[begin].start);
             end++)
            values.push_back(series.runs[end].wallclock_s);
        std::sort(values.begin(), values.end());
        const double middle = (series.runs[begin].start + series.runs[end - 1].start) / 2;
        weeks.push_back({std::llround((middle - from) / seconds_of_hour),
                         step_of(values[values.size() / 4], median),
                         step_of(median_of(values), median),
                         step_of(values[values.size() * 3 / 4], median)});
    }
    json["weeks"] = weeks;
}

// What a cause cost in each run, or in the median run of each week: as add_runs() and add_weeks()
// write durations, so that both are drawn at the same hours. Those that never cost a thousandth of
// a run are left out.
Json account_steps(const RunSeries &series, uint32_t account)
{
    const double median = series.levels.levels.front().median;
    const auto cost_of = [&](const RunPoint &run) {
        double cost_s = 0;
        for (const RunAccount &one : run.accounts)
            cost_s += one.name == account ? one.cost_s : 0;
        return cost_s;
    };
    const bool by_week = series.runs.size() > most_single_runs;
    Json steps = Json::array();
    bool has_cost = false;
    for (size_t begin = 0, end = 0; begin < series.runs.size(); begin = end) {
        std::vector<double> costs;
        for (end = begin; end < series.runs.size() &&
                          (end == begin || (by_week && week_of(series.runs[end].start) ==
                                                           week_of(series.runs[begin].start)));
             end++)
            costs.push_back(cost_of(series.runs[end]));
        steps.push_back(step_of(median_of(costs), median));
        has_cost = has_cost || steps.back() > 0;
    }
    return has_cost ? steps : Json();
}

// Largest cost in the last run first.
Json page_accounts(const RunSeries &series)
{
    std::vector<uint32_t> names;
    for (auto run = series.runs.rbegin(); run != series.runs.rend(); ++run)
        for (const RunAccount &account : run->accounts)
            if (std::find(names.begin(), names.end(), account.name) == names.end())
                names.push_back(account.name);
    Json accounts = Json::array();
    for (const uint32_t name : names)
        if (Json steps = account_steps(series, name); !steps.is_null())
            accounts.push_back({{"name", name}, {"steps", std::move(steps)}});
    return accounts;
}

bool shows_commits(const RunSeries &series)
{
    return series.runs.size() <= most_single_runs &&
           std::any_of(series.runs.begin(), series.runs.end(),
                       [](const RunPoint &run) { return run.commit != 0; });
}

// Of single runs, if any has one: numbers of texts.
Json page_commits(const RunSeries &series)
{
    Json commits = Json::array();
    if (!shows_commits(series))
        return commits;
    for (const RunPoint &run : series.runs)
        commits.push_back(run.commit);
    return commits;
}

// Stretches of runs with one value of a lane: the hour from which on, and the text's number. A lane
// that changes from run to run, as the node does, has none.
Json lane_stretches(const RunSeries &series, size_t lane, double from)
{
    constexpr size_t most_stretches = 40;
    Json stretches = Json::array();
    uint32_t last = UINT32_MAX;
    for (const RunPoint &run : series.runs) {
        if (run.lanes[lane] == last)
            continue;
        last = run.lanes[lane];
        stretches.push_back({std::llround((run.start - from) / seconds_of_hour), last});
        if (stretches.size() > most_stretches)
            return Json::array();
    }
    return stretches;
}

Json page_change(const SeriesChange &change, const Fleet &fleet)
{
    Json lines = Json::array();
    for (const LineChange &line : change.lines)
        lines.push_back(page_object(line, fleet));
    Json lanes = Json::array();
    for (const LaneChange &lane : change.lanes)
        lanes.push_back(static_cast<int>(lane.lane));
    Json json = page_object(change, fleet);
    json["at"] = change.at;
    json["hour"] = std::llround((change.start - fleet.from) / seconds_of_hour);
    json["since"] = page_value(with_signs(since_words(change, fleet.texts)));
    json["lanes"] = lanes;
    json["lines"] = lines;
    return json;
}

Json page_series(const RunSeries &series, const Fleet &fleet)
{
    Json json = page_object(series, fleet);
    json["first_s"] = page_value(series.levels.levels.front().median);
    json["steady"] = with_signs(steady_words(series));
    if (series.runs.size() > most_single_runs)
        add_weeks(series, fleet.from, json);
    else
        add_runs(series, fleet.from, json);
    Json levels = Json::array(), changes = Json::array(), lanes = Json::array();
    const double median = series.levels.levels.front().median;
    const auto hour_of = [&](size_t run) {
        return std::llround((series.runs[run].start - fleet.from) / seconds_of_hour);
    };
    for (const Level &level : series.levels.levels)
        levels.push_back(
            {hour_of(level.begin), hour_of(level.end - 1), step_of(level.median, median)});
    for (const SeriesChange &change : series.changes)
        changes.push_back(page_change(change, fleet));
    for (size_t lane = 0; lane < lane_count; lane++)
        lanes.push_back(lane_stretches(series, lane, fleet.from));
    Json outliers = Json::array();
    for (const size_t outlier : series.levels.outliers)
        outliers.push_back({hour_of(outlier), step_of(series.runs[outlier].wallclock_s, median),
                            series.runs[outlier].slow_host});
    json["levels"] = levels;
    json["changes"] = changes;
    json["lanes"] = lanes;
    json["outliers"] = outliers;
    json["accounts"] = page_accounts(series);
    json["commits"] = page_commits(series);
    return json;
}

// An archive knows more of them than the page shows: a commit of each run, for instance.
std::set<uint32_t> shown_texts(const Fleet &fleet)
{
    std::set<uint32_t> shown;
    for (const RunSeries &series : fleet.series) {
        const bool has_commits = shows_commits(series);
        for (const RunPoint &run : series.runs) {
            shown.insert(run.lanes.begin(), run.lanes.end());
            shown.insert(run.slow_host);
            for (const RunAccount &account : run.accounts)
                shown.insert(account.name);
            if (has_commits)
                shown.insert(run.commit);
        }
    }
    return shown;
}

Json fleet_data(const Fleet &fleet)
{
    Json series = Json::array(), texts = Json::array(), lanes = Json::array();
    const std::set<uint32_t> shown = shown_texts(fleet);
    for (const RunSeries &one : fleet.series)
        if (series.size() < most_drawn_series)
            series.push_back(page_series(one, fleet));
    for (uint32_t i = 0; i < fleet.texts.all().size(); i++)
        texts.push_back(shown.contains(i) ? page_value(fleet.texts.text(i)) : Json());
    for (const char *const name : texts_of<Lane>)
        lanes.push_back(name);
    return {{"from", fleet.from},
            {"hours", std::llround((fleet.to - fleet.from) / seconds_of_hour)},
            {"left_out", fleet.series.size() - series.size()},
            {"lanes", lanes},
            {"texts", texts},
            {"series", series}};
}

}  // namespace

std::string render_archive_html(const Fleet &fleet)
{
    return html_page(
        {.version = fleet.version,
         .title = fmt::format("{}: {} - mprof archive", fleet.name, fleet.headline),
         .program = fleet.name,
         .scale = fmt::format("{}, {}, {} to {}", plural(fleet.programs, "application"),
                              plural(static_cast<uint64_t>(fleet.runs), "run"),
                              day_text(fleet.from), day_text(fleet.to)),
         .head = fleet_head(fleet),
         .text = render_archive_text(fleet, page_text_width),
         .data = fleet_data(fleet),
         .document = render_archive_json(fleet),
         .json_command = "mprof archive regressions ARCHIVE --json FILE"},
        archive_page_parts);
}

}  // namespace mprof
