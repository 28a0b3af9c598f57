// The document of an archive is the table of the Fleet (archive/fleet_fields.h). Keys of a run are
// the columns of the table of runs.
#include "archive/archived_run.h"
#include "archive/fleet_fields.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {
namespace {

constexpr int archive_json_schema = 1;

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
    return document_json(fleet, archive_json_schema);
}

std::string render_history_json(const Fleet &fleet)
{
    Json json = {{"schema", archive_json_schema}};
    json.update(row_json(fleet, fleet));
    for (size_t i = 0; i < fleet.series.size(); i++)
        json["series"][i]["all_runs"] = value_json(fleet.series[i].runs, fleet, true);
    return json_text(std::move(json));
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
                      {"lines", value_json(pair.lines, pair, true)}});
}

}  // namespace mprof
