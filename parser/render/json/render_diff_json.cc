// One function per kind of row; share/doc/diff-json.md has the keys.
#include "render/json/json_parts.h"
#include "render/renderers.h"
#include "report/fields/fields_of_places.h"

namespace mprof {
namespace {

constexpr int diff_schema = 1;

Json change_json(const Change &change)
{
    return {{"a", change.a},
            {"b", change.b},
            {"difference", change.difference},
            {"difference_percent", or_null(change.percent)},
            {"noise", change.noise},
            {"outcome", text_of(change.outcome)},
            {"a_min", change.a_min},
            {"a_max", change.a_max},
            {"b_min", change.b_min},
            {"b_max", change.b_max}};
}

Json change_or_null(const std::optional<Change> &change)
{
    return change ? change_json(*change) : Json(nullptr);
}

// What all rows have, behind their own first keys.
void add_row(const RowChange &source, Json &row)
{
    row["name"] = source.name;
    row["outcome"] = text_of(source.outcome);
    row["in_a"] = source.in_a;
    row["in_b"] = source.in_b;
    row["time_s"] = change_json(source.time);
    row["wait_s"] = change_or_null(source.wait);
    row["slowest_s"] = change_or_null(source.slowest);
    row["a_calls"] = source.a_calls;
    row["b_calls"] = source.b_calls;
    row["a_bytes"] = source.a_bytes;
    row["b_bytes"] = source.b_bytes;
    row["remarks"] = source.remarks;
}

Json frame_json(const Frame &frame)
{
    Json json = {{"place", or_null(frame.place())}};
    json.update(fields_json(place_fields, frame, Report()));
    return json;
}

Json place_json(const PlaceChange &place)
{
    return {{"function", or_null(place.function)},
            {"match", text_of(place.match)},
            {"a", place.in_a ? frame_json(place.a) : Json(nullptr)},
            {"b", place.in_b ? frame_json(place.b) : Json(nullptr)}};
}

Json side_json(const Side &side)
{
    Json runs = Json::array();
    for (const RunInfo &run : side.runs)
        runs.push_back({{"path", run.path},
                        {"command", or_null(run.command)},
                        {"start", or_null(run.start)},
                        {"wallclock_s", run.wallclock_s},
                        {"ranks", run.ranks},
                        {"ranks_read", run.ranks_read},
                        {"nodes", run.nodes},
                        {"mpi_library", or_null(run.mpi_library)},
                        {"complete", run.complete},
                        {"end", text_of(run.end)},
                        {"run_id", run.run_id},
                        {"verdict_class", text_of(run.verdict_class)}});
    return {{"description", side.description}, {"runs", runs}};
}

// The row that the headline names: in which list, and its index there.
Json cause_json(const Comparison &comparison)
{
    if (comparison.cause_segment)
        return {{"list", "segments"}, {"index", *comparison.cause_segment}};
    if (comparison.cause_callsite)
        return {{"list", "callsites"}, {"index", *comparison.cause_callsite}};
    if (comparison.cause_function)
        return {{"list", "functions"}, {"index", *comparison.cause_function}};
    return nullptr;
}

Json limits_json(const Comparison &comparison)
{
    Json rows = Json::array();
    for (const LimitCheck &check : comparison.limits)
        rows.push_back({{"name", text_of(check.limit.figure)},
                        {"allowed_percent", check.limit.percent},
                        {"state", text_of(check.state)},
                        {"change", check.change ? change_json(*check.change) : Json(nullptr)}});
    return rows;
}

Json answer_json(const Comparison &comparison)
{
    return {{"headline", comparison.headline},
            {"why", comparison.why},
            {"noise", comparison.noise},
            {"remarks", comparison.remarks},
            {"outcome", text_of(comparison.wallclock.outcome)},
            {"wallclock_s", change_json(comparison.wallclock)},
            {"cause", cause_json(comparison)},
            {"limits", limits_json(comparison)},
            {"limit", text_of(comparison.limit)}};
}

Json totals_json(const Comparison &comparison)
{
    Json rows = Json::array();
    for (const TotalChange &total : comparison.totals)
        rows.push_back({{"name", text_of(total.figure)},
                        {"more_is_better", more_is_better(total.figure)},
                        {"measure", text_of(total.measure)},
                        {"change", change_json(total.change)}});
    return rows;
}

void add_own(const FunctionChange &source, Json &row)
{
    row["function"] = source.function;
}

void add_own(const CallsiteChange &source, Json &row)
{
    row["site"] = place_json(source.site);
}

void add_own(const SegmentChange &source, Json &row)
{
    row["from"] = place_json(source.from);
    row["to"] = place_json(source.to);
    row["fastest_s"] = change_json(source.fastest);
    row["contention_s"] = change_json(source.cpu_wait);
    row["blocked_s"] = change_json(source.blocked);
    row["ranks"] = source.ranks;
    row["cause_s"] = source.cause_s;
}

void add_own(const SizeChange &source, Json &row)
{
    row["function"] = source.function;
    row["low_bytes"] = or_null(source.low_bytes);
    row["high_bytes"] = or_null(source.high_bytes);
}

void add_own(const RegionChange &source, Json &row)
{
    row["region"] = source.path;
    row["compute_s"] = change_json(source.compute);
    row["mpi_s"] = change_json(source.mpi);
}

void add_own(const PhaseChange &source, Json &row)
{
    row["mpi_percent"] = change_json(source.mpi_percent);
    row["a_place"] = or_null(source.a_place);
    row["b_place"] = or_null(source.b_place);
}

void add_own(const RankChange &source, Json &row)
{
    row["rank"] = source.rank;
    row["a_host"] = or_null(source.a_host);
    row["b_host"] = or_null(source.b_host);
    row["wallclock_s"] = change_json(source.wallclock);
    row["mpi_s"] = change_json(source.mpi);
}

template <class Row>
Json rows_json(const std::vector<Row> &sources)
{
    Json rows = Json::array();
    for (const Row &source : sources) {
        Json row = Json::object();
        add_own(source, row);
        add_row(source, row);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

std::string render_diff_json(const Comparison &comparison)
{
    Json json = {{"schema", diff_schema}, {"mprof", comparison.version}};
    json["answer"] = answer_json(comparison);
    json["a"] = side_json(comparison.a);
    json["b"] = side_json(comparison.b);
    json["totals"] = totals_json(comparison);
    json["segments"] = rows_json(comparison.segments);
    json["callsites"] = rows_json(comparison.callsites);
    json["functions"] = rows_json(comparison.functions);
    json["sizes"] = rows_json(comparison.sizes);
    json["regions"] = rows_json(comparison.regions);
    json["phases"] = rows_json(comparison.phases);
    json["ranks"] = rows_json(comparison.ranks);
    return json_text(std::move(json));
}

}  // namespace mprof
