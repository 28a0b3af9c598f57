// share/doc/scale.md has the keys.
#include "render/json/json_parts.h"
#include "render/renderers.h"

#include <fmt/format.h>

namespace mprof {
namespace {

constexpr int scale_schema = 1;

Json projection_json(const std::optional<Projection> &projection)
{
    if (!projection)
        return nullptr;
    return {{"value", projection->value}, {"low", projection->low}, {"high", projection->high}};
}

Json steps_json(const Scaling &scaling)
{
    Json steps = Json::array();
    for (const NextStep &step : scaling.next)
        steps.push_back(fmt::format("At {} ranks: {}", scaling.next_ranks, step.words()));
    return steps;
}

Json runs_json(const Scaling &scaling)
{
    Json rows = Json::array();
    for (const ScaledRun &run : scaling.runs)
        rows.push_back({{"path", run.path},
                        {"ranks", run.ranks},
                        {"wallclock_s", run.wallclock_s},
                        {"speedup", run.speedup},
                        {"efficiency", run.efficiency},
                        {"complete", run.complete},
                        {"command", or_null(run.command)},
                        {"start", or_null(run.start)},
                        {"mpi_library", or_null(run.mpi_library)}});
    return rows;
}

Json sizes_json(const Scaling &scaling)
{
    Json rows = Json::array();
    for (const SizeRow &size : scaling.sizes)
        rows.push_back({{"ranks", size.ranks},
                        {"runs", size.runs},
                        {"nodes", size.nodes},
                        {"wallclock_s", size.wallclock_s},
                        {"noise_percent", or_null(size.noise_percent)},
                        {"core_hours", size.core_hours},
                        {"speedup", size.speedup},
                        {"efficiency", size.efficiency}});
    return rows;
}

Json factors_json(const Scaling &scaling)
{
    Json rows = Json::array();
    for (const FactorRow &row : scaling.factors) {
        Json values = Json::array();
        for (const auto &value : row.values)
            values.push_back(or_null(value));
        rows.push_back({{"factor", text_of(row.factor)},
                        {"is_product", is_product(row.factor)},
                        {"estimated", is_estimate(row.factor)},
                        {"values", values}});
    }
    return rows;
}

void add_law(const GrowthLaw &law, Json &row)
{
    const bool is_known = law.kind != LawKind::none;
    const bool has_interval = law.kind == LawKind::power;
    row["law"] = law.text();
    row["exponent"] = is_known && law.exponent != 0 ? Json(law.exponent) : Json(nullptr);
    row["low"] = has_interval ? Json(law.low) : Json(nullptr);
    row["high"] = has_interval ? Json(law.high) : Json(nullptr);
    row["constant"] = is_known ? Json(law.constant) : Json(nullptr);
    row["factor"] = is_known ? Json(law.factor) : Json(nullptr);
}

Json laws_json(const std::vector<GrowthRow> &growth)
{
    Json rows = Json::array();
    for (const GrowthRow &row : growth) {
        Json json = {{"what", row.what},
                     {"kind", text_of(row.kind)},
                     {"function", or_null(row.function)},
                     {"place", or_null(row.place)},
                     {"symbol", or_null(row.symbol)},
                     {"file", or_null(row.file)},
                     {"line", row.line > 0 ? Json(row.line) : Json(nullptr)}};
        add_law(row.growth.law(), json);
        json["meaning"] = or_null(row.meaning);
        json["state"] = text_of(row.state);
        json["time_s"] = row.time_s;
        json["wait_s"] = row.wait_s;
        json["projected_s"] = projection_json(row.projected_s);
        json["projected_share"] = row.projected_s ? Json(row.projected_share) : Json(nullptr);
        if (row.kind == GrowthKind::segment) {
            json["slowest_s"] = row.slowest_s;
            json["slowest_rank"] = row.slowest_rank;
        }
        rows.push_back(std::move(json));
    }
    return rows;
}

Json memory_json(const Scaling &scaling)
{
    if (!scaling.memory)
        return nullptr;
    Json json = {{"bytes", scaling.memory->bytes}};
    add_law(scaling.memory->growth.law(), json);
    json["projected_bytes"] = projection_json(scaling.memory->projected_bytes);
    return json;
}

}  // namespace

std::string render_scale_json(const Scaling &scaling)
{
    Json json = {{"schema", scale_schema}, {"mprof", scaling.version}};
    json["program"] = or_null(scaling.program);
    json["scaling"] = text_of(scaling.kind);
    json["headline"] = scaling.headline;
    json["sentence"] = scaling.sentence;
    json["why"] = scaling.why;
    json["next"] = steps_json(scaling);
    json["remarks"] = scaling.remarks;
    json["recommended_ranks"] = or_null(scaling.recommended_ranks);
    json["stops_at_ranks"] =
        scaling.first_bad ? Json(scaling.sizes[*scaling.first_bad].ranks) : Json(nullptr);
    json["runs"] = runs_json(scaling);
    json["sizes"] = sizes_json(scaling);
    json["factors"] = factors_json(scaling);
    json["laws"] = laws_json(scaling.growth);
    json["segments"] = laws_json(scaling.segments);
    json["memory"] = memory_json(scaling);
    json["projected_ranks"] =
        scaling.projected_ranks > 0 ? Json(scaling.projected_ranks) : Json(nullptr);
    json["projected_wallclock_s"] = projection_json(scaling.projected_wallclock_s);
    json["projected_efficiency"] = projection_json(scaling.projected_efficiency);
    json["ends_at_ranks"] = or_null(scaling.ends_at_ranks);
    return json_text(std::move(json));
}

}  // namespace mprof
