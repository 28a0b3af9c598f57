// The JSON documents beside the report: each is a table of fields behind the number of its schema.
// The rows are in archive/fleet_fields.h, diff/comparison_fields.h and their likes; here is what
// no table says.
#include "archive/archived_run.h"
#include "archive/fleet_fields.h"
#include "diff/comparison_fields.h"
#include "list/profile_list_fields.h"
#include "machine/machine_fields.h"
#include "place/placing_fields.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"
#include "results/results_fields.h"
#include "scale/scaling_fields.h"
#include "tune/tuning_fields.h"

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

constexpr int diff_schema = 1;

std::string render_diff_json(const Comparison &comparison)
{
    return document_json(comparison, diff_schema);
}

constexpr int list_schema = 1;

std::string render_list_json(const ProfileList &list)
{
    return document_json(list, list_schema);
}

constexpr int machine_schema = 1;

std::string render_machine_json(const MachineFigures &figures)
{
    return document_json(figures, machine_schema, "machine");
}

constexpr int place_schema = 1;

std::string render_place_json(const Placing &placing)
{
    return document_json(placing, place_schema);
}

constexpr int results_schema = 1;

std::string render_results_json(const ResultsComparison &comparison)
{
    return document_json(comparison, results_schema);
}

constexpr int scale_schema = 1;

std::string render_scale_json(const Scaling &scaling)
{
    return document_json(scaling, scale_schema);
}

constexpr int tune_schema = 1;

std::string render_tune_json(const Tuning &tuning)
{
    return document_json(tuning, tune_schema);
}

}  // namespace mprof
