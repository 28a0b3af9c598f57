// share/doc/place.md has the keys.
#include "place/launch_files.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {
namespace {

constexpr int place_schema = 1;

Json distances_of_placing(const Placing &placing)
{
    Json rows = Json::array();
    for (const DistanceBytes &row : placing.distances)
        rows.push_back({{"distance", text_of(row.distance)},
                        {"before_bytes", row.before_bytes},
                        {"after_bytes", row.after_bytes},
                        {"gib_s", or_null(row.gib_s)},
                        {"before_s", or_null(row.before_s)},
                        {"after_s", or_null(row.after_s)}});
    return rows;
}

Json places_of_ranks(const Placing &placing)
{
    Json rows = Json::array();
    const auto place = [&](const Order &order, uint32_t rank) -> const Place & {
        return placing.machine.places[order[rank]];
    };
    for (uint32_t rank = 0; rank < placing.after.size(); rank++)
        rows.push_back({{"rank", rank},
                        {"before_host", placing.machine.hosts[place(placing.before, rank).node]},
                        {"before_slot", place(placing.before, rank).slot},
                        {"host", placing.machine.hosts[place(placing.after, rank).node]},
                        {"slot", place(placing.after, rank).slot}});
    return rows;
}

Json judged_json(const Placing &placing)
{
    if (!placing.judged)
        return nullptr;
    return {{"file", placing.judged->file},
            {"sentence", placing.judged->sentence},
            {"between_nodes_bytes", placing.judged->between_nodes_bytes},
            {"time_s", or_null(placing.judged->time_s)}};
}

}  // namespace

std::string render_place_json(const Placing &placing)
{
    Json json = {{"schema", place_schema}, {"mprof", placing.version}};
    json["program"] = or_null(placing.program);
    json["good"] = placing.good;
    json["headline"] = placing.headline;
    json["why"] = placing.why;
    json["remarks"] = placing.remarks;
    json["ranks"] = placing.ranks;
    json["nodes"] = placing.machine.hosts.size();
    json["machine"] = placing.machine.source;
    json["wallclock_s"] = placing.wallclock_s;
    json["before_s"] = or_null(placing.before_s);
    json["after_s"] = or_null(placing.after_s);
    json["saves_s"] = or_null(placing.saves_s);
    json["uncertainty_s"] = or_null(placing.uncertainty_s);
    json["confidence"] = text_of(placing.level);
    json["point_to_point_percent"] = or_null(placing.message_percent);
    json["between_nodes_bytes"] = {placing.before_figures.between_nodes(),
                                   placing.after_figures.between_nodes()};
    json["busiest_node_bytes"] = {placing.before_figures.busiest_node_bytes,
                                  placing.after_figures.busiest_node_bytes};
    json["all_bytes"] = placing.before_figures.all_bytes();
    json["distances"] = distances_of_placing(placing);
    json["launcher"] = text_of(placing.launcher);
    json["launch"] = or_null(
        launch_line(placing, placing.launcher, default_order_file(placing, placing.launcher)));
    json["places"] = places_of_ranks(placing);
    json["judged"] = judged_json(placing);
    return json_text(std::move(json));
}

}  // namespace mprof
