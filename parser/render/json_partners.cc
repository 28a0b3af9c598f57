// The matrix and what it looks like from further away.
#include "render/json_parts.h"

namespace mprof {

Json matrix_json(const Report &report)
{
    Json rows = Json::array();
    for (const MatrixCell &cell : report.matrix)
        rows.push_back({{"source", cell.source},
                        {"destination", cell.destination},
                        {"messages", cell.messages},
                        {"bytes", cell.bytes},
                        {"time_s", cell.time_s},
                        {"one_sided_messages", cell.one_sided_messages},
                        {"one_sided_bytes", cell.one_sided_bytes}});
    return rows;
}

Json nodes_json(const Report &report)
{
    Json rows = Json::array();
    for (const NodeRow &node : report.nodes) {
        Json facts = Json::object();
        for (const auto &[key, value] : node.facts)
            facts[key] = value;
        rows.push_back({{"host", or_null(node.host)},
                        {"first_rank", node.first_rank},
                        {"ranks", node.ranks},
                        {"compute_s", node.compute_s},
                        {"mpi_s", node.mpi_s},
                        {"wait_s", or_null(node.wait_s)},
                        {"memory_bytes", node.memory_bytes},
                        {"inside_messages", node.inside_messages},
                        {"inside_bytes", node.inside_bytes},
                        {"outside_messages", node.outside_messages},
                        {"outside_bytes", node.outside_bytes},
                        {"facts", facts}});
    }
    return rows;
}

Json node_pairs_json(const Report &report)
{
    Json rows = Json::array();
    for (const NodePair &pair : report.node_pairs)
        rows.push_back({{"source", report.nodes[pair.source].host},
                        {"destination", report.nodes[pair.destination].host},
                        {"messages", pair.messages},
                        {"bytes", pair.bytes},
                        {"time_s", pair.time_s}});
    return rows;
}

Json distances_json(const Report &report)
{
    Json rows = Json::array();
    for (const DistanceRow &row : report.distances)
        rows.push_back({{"distance", row.distance},
                        {"pairs", row.pairs},
                        {"messages", row.messages},
                        {"bytes", row.bytes},
                        {"time_s", row.time_s}});
    return rows;
}

}  // namespace mprof
