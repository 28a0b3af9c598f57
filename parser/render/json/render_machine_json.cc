// share/doc/change/machine.md has the keys; parser/machine/read_machine.cc reads them.
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {
namespace {

constexpr int machine_schema = 1;

Json curve_json(const MachineCurve &curve)
{
    Json points = Json::array();
    for (const MachinePoint &point : curve.points)
        points.push_back({{"bytes", point.bytes},
                          {"time_s", point.time_s},
                          {"best_s", point.best_s},
                          {"stream_s", or_null(point.stream_s)},
                          {"repeats", point.repeats}});
    Json eager = nullptr;
    if (curve.eager)
        eager = {{"limit_bytes", curve.eager->limit_bytes},
                 {"below_s", curve.eager->below_s},
                 {"above_s", curve.eager->above_s},
                 {"source", text_of(curve.eager->source)}};
    return {{"distance", text_of(curve.distance)},
            {"ranks", curve.ranks},
            {"latency_s", or_null(curve.latency_s())},
            {"bytes_s", or_null(curve.bytes_per_second())},
            {"eager", eager},
            {"points", points}};
}

Json nodes_json(const MachineFigures &figures)
{
    Json rows = Json::array();
    for (const MachineNode &node : figures.nodes)
        rows.push_back({{"host", node.host},
                        {"ranks", node.ranks},
                        {"arithmetic_s", node.arithmetic_s},
                        {"copy_bytes_s", node.copy_bytes_s},
                        {"slow", node.slow},
                        {"sentence", or_null(node.sentence)}});
    return rows;
}

Json links_json(const MachineFigures &figures)
{
    Json rows = Json::array();
    for (const MachineLink &link : figures.links)
        rows.push_back({{"a", link.a},
                        {"b", link.b},
                        {"hosts", {figures.nodes[link.a].host, figures.nodes[link.b].host}},
                        {"latency_s", link.latency_s},
                        {"bytes", link.bytes},
                        {"time_s", link.time_s},
                        {"bytes_s", link.bytes_per_second()},
                        {"checked", link.checked},
                        {"slow", link.slow}});
    return rows;
}

}  // namespace

std::string render_machine_json(const MachineFigures &figures)
{
    Json json = {{"machine", machine_schema}, {"mprof", figures.version}};
    json["source"] = text_of(figures.source);
    json["made"] = or_null(figures.made);
    json["command"] = or_null(figures.command);
    json["mpi_library"] = or_null(figures.library);
    json["mpi_path"] = or_null(figures.path);
    json["mpi_abi"] = or_null(figures.abi);
    json["ranks"] = figures.ranks;
    json["headline"] = figures.headline;
    json["findings"] = figures.findings;
    json["facts"] = Json::object();
    for (const auto &[key, value] : figures.facts)
        json["facts"][key] = value;
    json["nodes"] = nodes_json(figures);
    json["links"] = links_json(figures);
    json["distances"] = Json::array();
    for (const MachineCurve &curve : figures.curves)
        json["distances"].push_back(curve_json(curve));
    json["collectives"] = Json::array();
    for (const CollectiveTime &row : figures.collectives)
        json["collectives"].push_back({{"function", row.function},
                                       {"ranks", row.ranks},
                                       {"bytes", row.bytes},
                                       {"time_s", row.time_s},
                                       {"max_s", row.max_s},
                                       {"repeats", row.repeats}});
    json["settings"] = Json::array();
    for (const MachineSetting &row : figures.settings)
        json["settings"].push_back({{"kind", text_of(row.kind)},
                                    {"name", row.name},
                                    {"value", row.value},
                                    {"about", or_null(row.about)},
                                    {"from_environment", row.from_environment}});
    return json_text(std::move(json));
}

}  // namespace mprof
