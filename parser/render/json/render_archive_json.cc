// share/doc/archive/archive.md has the keys. Those of a run are the columns of the table of runs.
#include "archive/archived_run.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {
namespace {

constexpr int archive_json_schema = 1;

Json lanes_json(const SeriesChange &change, const SharedTexts &texts)
{
    Json rows = Json::array();
    for (const LaneChange &lane : change.lanes)
        rows.push_back({{"lane", text_of(lane.lane)},
                        {"before", texts.text(lane.before)},
                        {"after", texts.text(lane.after)}});
    return rows;
}

Json lines_json(const std::vector<LineChange> &lines)
{
    Json rows = Json::array();
    for (const LineChange &line : lines)
        rows.push_back({{"place", or_null(line.place)},
                        {"function", line.function},
                        {"before_s", line.before_s},
                        {"after_s", line.after_s},
                        {"difference_s", line.difference_s},
                        {"noise_s", line.noise_s},
                        {"beyond_noise", line.beyond_noise}});
    return rows;
}

Json change_json(const SeriesChange &change, const SharedTexts &texts)
{
    return {{"start", iso_of_seconds(change.start)},
            {"kind", text_of(change.kind)},
            {"before_s", change.before_s},
            {"after_s", change.after_s},
            {"percent", change.percent},
            {"runs_before", change.runs_before},
            {"runs_after", change.runs_after},
            {"enough", change.enough},
            {"lasts", change.lasts},
            {"lanes", lanes_json(change, texts)},
            {"lines", lines_json(change.lines)}};
}

Json series_runs_json(const RunSeries &series, const SharedTexts &texts)
{
    Json rows = Json::array();
    for (const RunPoint &run : series.runs) {
        Json row = {{"run", run.run},
                    {"start", iso_of_seconds(run.start)},
                    {"wallclock_s", run.wallclock_s},
                    {"wait_s", or_null(run.wait_s)},
                    {"slow_host", or_null(texts.text(run.slow_host))}};
        for (size_t lane = 0; lane < lane_count; lane++)
            row[text_of(static_cast<Lane>(lane))] = or_null(texts.text(run.lanes[lane]));
        rows.push_back(std::move(row));
    }
    return rows;
}

Json series_json(const RunSeries &series, const SharedTexts &texts)
{
    Json changes = Json::array();
    for (const SeriesChange &change : series.changes)
        changes.push_back(change_json(change, texts));
    return {{"program", or_null(series.program)},
            {"input", or_null(series.input)},
            {"ranks", series.ranks},
            {"runs", series.run_count},
            {"node_hours", series.node_hours},
            {"lost_hours", series.lost_hours},
            {"now_s", series.now_s()},
            {"noise_percent", 100 * series.levels.noise},
            {"slow_runs", series.levels.outliers.size()},
            {"changes", changes}};
}

Json archive_json(const Fleet &fleet, bool with_runs)
{
    Json all = Json::array(), nodes = Json::array();
    for (const RunSeries &series : fleet.series) {
        all.push_back(series_json(series, fleet.texts));
        if (with_runs)
            all.back()["all_runs"] = series_runs_json(series, fleet.texts);
    }
    for (const SlowNode &node : fleet.slow_nodes)
        nodes.push_back({{"host", node.host}, {"slow_runs", node.slow_runs}, {"runs", node.runs}});
    return {{"schema", archive_json_schema},
            {"mprof", fleet.version},
            {"privacy", fleet.privacy},
            {"headline", fleet.headline},
            {"sentence", fleet.sentence},
            {"programs", fleet.programs},
            {"runs", fleet.runs},
            {"incomplete_runs", fleet.incomplete_runs},
            {"from", iso_of_seconds(fleet.from)},
            {"to", iso_of_seconds(fleet.to)},
            {"node_hours", fleet.node_hours},
            {"lost_hours", fleet.lost_hours},
            {"slower", fleet.slower.size()},
            {"faster", fleet.faster.size()},
            {"slow_nodes", nodes},
            {"series", all}};
}

Json archived_runs_json(const std::vector<ArchivedRun> &runs)
{
    Json rows = Json::array();
    for (const ArchivedRun &run : runs) {
        Json row = json_of_run(run);
        row["complete"] = run.complete != 0;
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

std::string render_archive_json(const Fleet &fleet)
{
    return json_text(archive_json(fleet, false));
}

std::string render_history_json(const Fleet &fleet)
{
    return json_text(archive_json(fleet, true));
}

std::string render_archived_runs_json(const std::vector<ArchivedRun> &runs)
{
    return json_text({{"schema", archive_json_schema}, {"runs", archived_runs_json(runs)}});
}

std::string render_archived_pair_json(const ArchivedPair &pair)
{
    return json_text({{"schema", archive_json_schema},
                      {"a", archived_runs_json(pair.a)},
                      {"b", archived_runs_json(pair.b)},
                      {"environment", pair.environment},
                      {"lines", lines_json(pair.lines)}});
}

}  // namespace mprof
