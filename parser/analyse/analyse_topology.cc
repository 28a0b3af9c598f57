// Who talks to whom, seen from further away: by node, and by the distance between rank numbers.
// Made of the matrix and the ranks' rows. A rank that was not read has no known node; what went to
// it is in no figure of a node.
#include "analyse/analysis_parts.h"
#include "measure/paged_table.h"
#include "report/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace mprof {
namespace {

// Fewer pairs than these can be read one by one.
constexpr size_t few_pairs = 8;
constexpr size_t listed_distances = 4;

// Rank -> row of `nodes`, in the order of the ranks.
using NodesOfRanks = std::vector<std::pair<uint32_t, uint32_t>>;

NodesOfRanks add_nodes(Report &report)
{
    NodesOfRanks nodes;
    std::map<std::string, uint32_t> numbers;
    for (const RankRow &rank : report.ranks) {
        const auto [at, is_new] =
            numbers.try_emplace(rank.host, static_cast<uint32_t>(report.nodes.size()));
        if (is_new) {
            report.nodes.emplace_back();
            report.nodes.back().host = rank.host;
            report.nodes.back().first_rank = rank.rank;
        }
        nodes.emplace_back(rank.rank, at->second);
        NodeRow &node = report.nodes[at->second];
        node.ranks++;
        node.compute_s += rank.compute_s;
        node.mpi_s += rank.mpi_thread_s;
        if (rank.wait_thread_s)
            node.wait_s = node.wait_s.value_or(0) + *rank.wait_thread_s;
        node.memory_bytes += rank.memory_bytes.value_or(0);
    }
    for (NodeRow &node : report.nodes) {
        node.compute_s /= static_cast<double>(node.ranks);
        node.mpi_s /= static_cast<double>(node.ranks);
        if (node.wait_s)
            *node.wait_s /= static_cast<double>(node.ranks);
    }
    return nodes;
}

std::optional<uint32_t> node_of(const NodesOfRanks &nodes, uint32_t rank)
{
    if (rank < nodes.size() && nodes[rank].first == rank)
        return nodes[rank].second;  // none is missing
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), std::pair(rank, 0U));
    return at == nodes.end() || at->first != rank ? std::nullopt : std::optional(at->second);
}

void add_cells(const NodesOfRanks &nodes, Report &report)
{
    std::map<std::pair<uint32_t, uint32_t>, NodePair> pairs;
    constexpr int64_t furthest = int64_t{1} << 32U;
    PagedTable<DistanceRow> distances;
    for (const MatrixCell &cell : report.matrix) {
        DistanceRow &row = distances[static_cast<uint64_t>(furthest + int64_t{cell.destination} -
                                                           int64_t{cell.source})];
        row.distance = int64_t{cell.destination} - int64_t{cell.source};
        row.pairs++;
        row.messages += cell.messages;
        row.bytes += cell.bytes;
        row.time_s += cell.time_s;
        const auto source = node_of(nodes, cell.source);
        const auto destination = node_of(nodes, cell.destination);
        if (!source || !destination)
            continue;
        NodePair &pair = pairs[{*source, *destination}];
        pair.source = *source;
        pair.destination = *destination;
        pair.messages += cell.messages;
        pair.bytes += cell.bytes;
        pair.time_s += cell.time_s;
        NodeRow &node = report.nodes[*source];
        (source == destination ? node.inside_messages : node.outside_messages) += cell.messages;
        (source == destination ? node.inside_bytes : node.outside_bytes) += cell.bytes;
    }
    for (const auto &[key, pair] : pairs)
        report.node_pairs.push_back(pair);
    distances.for_each(
        [&](uint64_t /*number*/, const DistanceRow &row) { report.distances.push_back(row); });
    const auto more_bytes = [](const auto &a, const auto &b) { return a.bytes > b.bytes; };
    std::stable_sort(report.node_pairs.begin(), report.node_pairs.end(), more_bytes);
    std::stable_sort(report.distances.begin(), report.distances.end(), more_bytes);
}

// "rank distances: +1 holds 25% of the bytes, -1 25%, ...", if a few tell most.
void add_distance_remark(Report &report)
{
    double all = 0;
    double listed = 0;
    for (const DistanceRow &row : report.distances)
        all += static_cast<double>(row.bytes);
    std::string words;
    const size_t count = std::min(listed_distances, report.distances.size());
    for (size_t i = 0; i < count && report.distances[i].bytes > 0; i++) {
        const auto bytes = static_cast<double>(report.distances[i].bytes);
        listed += bytes;
        words += fmt::format("{}{:+} {}", words.empty() ? "" : ", ", report.distances[i].distance,
                             percent_text(100 * bytes / all));
    }
    if (report.matrix.size() > few_pairs && listed * 2 >= all && all > 0)
        report.partner_remarks.push_back("by distance of ranks: " + words + " of the bytes");
}

void add_node_remark(Report &report)
{
    uint64_t inside = 0;
    uint64_t outside = 0;
    for (const NodeRow &node : report.nodes) {
        inside += node.inside_bytes;
        outside += node.outside_bytes;
    }
    const double all = static_cast<double>(inside) + static_cast<double>(outside);
    if (report.nodes.size() < 2 || all <= 0)
        return;
    report.partner_remarks.push_back(
        fmt::format("inside nodes {} ({}), between nodes {} ({})",
                    percent_text(100 * static_cast<double>(inside) / all), bytes_text(inside),
                    percent_text(100 * static_cast<double>(outside) / all), bytes_text(outside)));
}

}  // namespace

void analyse_topology(Report &report)
{
    add_cells(add_nodes(report), report);
    add_distance_remark(report);
    add_node_remark(report);
}

}  // namespace mprof
