// The fields of what mprof place says: of its JSON and of share/doc/howto/place.md (report/field.h
// says how).
#pragma once

#include "place/placing.h"
#include "report/field.h"

namespace mprof {

template <>
inline constexpr auto fields_of<DistanceBytes> =
    fields(field("distance", &DistanceBytes::distance, "",
                 "`other node`, `same node`: no more is known, `other socket`, `same socket`, "
                 "`same cache`"),
           field("before_bytes", &DistanceBytes::before_bytes, "bytes", "of the current order"),
           field("after_bytes", &DistanceBytes::after_bytes, "bytes", "of the better one"),
           field("gib_s", &DistanceBytes::gib_s, "s", "of a GiB; null: not known"),
           field("before_s", &DistanceBytes::before_s, "s", "of the slowest rank"),
           field("after_s", &DistanceBytes::after_s, "s", "of the slowest rank"));

// A rank in both orders.
struct PlacedRank {
    uint32_t rank = 0;
    std::string before_host;
    Place before;
    std::string host;
    Place after;
};

template <>
inline constexpr auto fields_of<PlacedRank> = fields(
    field("rank", &PlacedRank::rank, "", "of MPI_COMM_WORLD"),
    field("before_host", &PlacedRank::before_host, "", "its node now").always_known(),
    field("before_slot", through(&PlacedRank::before, &Place::slot), "",
          "its cores of that node now, as launchers number them")
        .always_known(),
    field("host", &PlacedRank::host, "", "its node in the better order").always_known(),
    field("slot", through(&PlacedRank::after, &Place::slot), "", "its cores there").always_known());

template <>
inline constexpr auto fields_of<JudgedOrder> = fields(
    field("file", &JudgedOrder::file, "", "that holds it").always_known(),
    field("sentence", &JudgedOrder::sentence, "", "how it compares").always_known(),
    field("between_nodes_bytes", &JudgedOrder::between_nodes_bytes, "bytes", "between nodes"),
    field("time_s", &JudgedOrder::time_s, "s", "of the slowest rank"));

inline std::vector<PlacedRank> placed_ranks(const Placing &placing)
{
    std::vector<PlacedRank> rows;
    const auto &hosts = placing.machine.hosts;
    for (uint32_t rank = 0; rank < placing.after.size(); rank++) {
        const Place &before = placing.machine.places[placing.before[rank]];
        const Place &after = placing.machine.places[placing.after[rank]];
        rows.push_back({rank, hosts[before.node], before, hosts[after.node], after});
    }
    return rows;
}
inline size_t nodes_of_placing(const Placing &placing)
{
    return placing.machine.hosts.size();
}
inline std::vector<double> between_nodes_bytes(const Placing &placing)
{
    return {placing.before_figures.between_nodes(), placing.after_figures.between_nodes()};
}
inline std::vector<double> busiest_node_bytes(const Placing &placing)
{
    return {placing.before_figures.busiest_node_bytes, placing.after_figures.busiest_node_bytes};
}
inline std::string launch_of_placing(const Placing &placing)
{
    return launch_line(placing, placing.launcher, default_order_file(placing, placing.launcher));
}

template <>
inline constexpr auto fields_of<Placing> = fields(
    field("mprof", &Placing::version, "", "version of the program that wrote this").always_known(),
    field("program", &Placing::program, "", "its name"),
    field("good", &Placing::good, "",
          "no order is better beyond noise; \"after\" then equals \"before\""),
    field("headline", &Placing::headline, "", "the answer").always_known(),
    field("why", &Placing::why, "", "the evidence").always_known(),
    field("remarks", &Placing::remarks, "", "further remarks"),
    field("ranks", &Placing::ranks, "", "of the run"),
    field("nodes", nodes_of_placing, "", "of the machine that the ranks were placed on"),
    field("machine", through(&Placing::machine, &Machine::source), "",
          "what machine that is, in words")
        .always_known(),
    field("wallclock_s", &Placing::wallclock_s, "s", "of the run"),
    field("before_s", &Placing::before_s, "s", "as above; null: the run does not show it"),
    field("after_s", &Placing::after_s, "s", "likewise"),
    field("saves_s", &Placing::saves_s, "s", "the difference"),
    field("uncertainty_s", &Placing::uncertainty_s, "s", "of it"),
    field("confidence", &Placing::level, "", "`low`, `medium`, `high`"),
    field("point_to_point_percent", &Placing::message_percent, "%",
          "of the transfer; null: waiting is not known"),
    field("between_nodes_bytes", between_nodes_bytes, "bytes", "before and after"),
    field("busiest_node_bytes", busiest_node_bytes, "bytes",
          "before and after: through one node's network card, in one direction"),
    field("all_bytes", through(&Placing::before_figures, &OrderFigures::all_bytes), "bytes",
          "of all messages between different ranks"),
    field("distances", &Placing::distances, "", "one row per distance, furthest first"),
    field("launcher", &Placing::launcher, "", "as in the table above"),
    field("launch", launch_of_placing, "", "the line to start with, null of `program`"),
    field("places", placed_ranks, "", "one row per rank").only(in_json),
    field("judged", &Placing::judged, "", "the order of `--judge`; else null"));

}  // namespace mprof
