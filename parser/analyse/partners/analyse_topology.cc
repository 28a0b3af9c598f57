// Who talks to whom, seen from further away: by node, by the distance between rank numbers, and
// what stays within a node.
#include "analyse/analysis_parts.h"
#include "measure/for_all_ranks.h"
#include "measure/function_facts.h"
#include "measure/message_sites.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace mprof {

// Who talks to whom, seen from further away: by node, and by the distance between rank numbers.
// Made of the matrix and the ranks' rows. A rank that was not read has no known node; what went to
// it is in no figure of a node.

namespace {

// Fewer pairs than these can be read one by one.
constexpr size_t few_pairs = 8;
constexpr size_t listed_distances = 4;

// Rank -> row of `nodes`, in the order of the ranks.
using NodesOfRanks = std::vector<std::pair<uint32_t, uint32_t>>;

NodesOfRanks add_nodes(const std::vector<RankRow> &ranks, std::vector<NodeRow> &rows)
{
    NodesOfRanks nodes;
    std::map<std::string, uint32_t> numbers;
    for (const RankRow &rank : ranks) {
        const auto [at, is_new] =
            numbers.try_emplace(rank.host, static_cast<uint32_t>(rows.size()));
        if (is_new) {
            rows.emplace_back();
            rows.back().host = rank.host;
            rows.back().first_rank = rank.rank;
        }
        nodes.emplace_back(rank.rank, at->second);
        NodeRow &node = rows[at->second];
        node.ranks++;
        node.compute_s += rank.compute_s;
        node.mpi_s += rank.mpi_thread_s;
        if (rank.wait_thread_s)
            node.wait_s = node.wait_s.value_or(0) + *rank.wait_thread_s;
        node.memory_bytes += rank.memory_bytes.value_or(0);
    }
    for (NodeRow &node : rows) {
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

void add_cells(const NodesOfRanks &nodes, const std::vector<MatrixCell> &matrix, Topology &rows)
{
    std::map<std::pair<uint32_t, uint32_t>, NodePair> pairs;
    constexpr int64_t furthest = int64_t{1} << 32U;
    PagedTable<DistanceRow> distances;
    for (const MatrixCell &cell : matrix) {
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
        NodeRow &node = rows.nodes[*source];
        (source == destination ? node.inside_messages : node.outside_messages) += cell.messages;
        (source == destination ? node.inside_bytes : node.outside_bytes) += cell.bytes;
    }
    for (const auto &[key, pair] : pairs)
        rows.pairs.push_back(pair);
    distances.for_each(
        [&](uint64_t /*number*/, const DistanceRow &row) { rows.distances.push_back(row); });
    const auto more_bytes = [](const auto &a, const auto &b) { return a.bytes > b.bytes; };
    std::stable_sort(rows.pairs.begin(), rows.pairs.end(), more_bytes);
    std::stable_sort(rows.distances.begin(), rows.distances.end(), more_bytes);
}

// "rank distances: +1 holds 25% of the bytes, -1 25%, ...", if a few tell most.
void add_distance_remark(const std::vector<MatrixCell> &matrix, Topology &rows)
{
    double all = 0;
    double listed = 0;
    for (const DistanceRow &row : rows.distances)
        all += static_cast<double>(row.bytes);
    std::string words;
    const size_t count = std::min(listed_distances, rows.distances.size());
    for (size_t i = 0; i < count && rows.distances[i].bytes > 0; i++) {
        const auto bytes = static_cast<double>(rows.distances[i].bytes);
        listed += bytes;
        words += fmt::format("{}{:+} {}", words.empty() ? "" : ", ", rows.distances[i].distance,
                             percent_text(100 * bytes / all));
    }
    if (matrix.size() > few_pairs && listed * 2 >= all && all > 0)
        rows.remarks.push_back("by distance of ranks: " + words + " of the bytes");
}

void add_node_remark(Topology &rows)
{
    uint64_t inside = 0;
    uint64_t outside = 0;
    for (const NodeRow &node : rows.nodes) {
        inside += node.inside_bytes;
        outside += node.outside_bytes;
    }
    const double all = static_cast<double>(inside) + static_cast<double>(outside);
    if (rows.nodes.size() < 2 || all <= 0)
        return;
    rows.remarks.push_back(
        fmt::format("inside nodes {} ({}), between nodes {} ({})",
                    percent_text(100 * static_cast<double>(inside) / all), bytes_text(inside),
                    percent_text(100 * static_cast<double>(outside) / all), bytes_text(outside)));
}

}  // namespace

Topology analyse_topology(const std::vector<RankRow> &ranks, const std::vector<MatrixCell> &matrix)
{
    Topology rows;
    add_cells(add_nodes(ranks, rows.nodes), matrix, rows);
    add_distance_remark(matrix, rows);
    add_node_remark(rows);
    return rows;
}

// What stays within a node, by callsite, and what it would cost if ranks of a node shared memory
// (MPI-3: MPI_Win_allocate_shared) and read each other's data in place.
//
// Bytes, messages and time are recorded by callsite and partner, so they are exact but for partners
// that were folded. Two things are estimated. The waiting of a callsite is divided among its
// partners by their time. A direct load costs one flag, the latency of the machine's smallest
// message; and between nothing, where the program reads the data once anyway, and the time in which
// the machine's messages move those bytes. So what is saved is an interval.

namespace {

struct InsideSum {
    uint64_t messages = 0, bytes = 0;
    // The side that takes the data reads it.
    uint64_t loads = 0, load_bytes = 0;
    double inside_s = 0, all_s = 0;
};
using InsideSums = std::unordered_map<uint32_t, InsideSum>;  // by node of the call path

bool takes_data(const mprof_partner &partner)
{
    return partner.kind == MPROF_PARTNER_RECEIVED || partner.kind == MPROF_PARTNER_GET ||
           partner.kind == MPROF_PARTNER_PUT;
}

InsideSums sums_of(const RankMeasures &ranks, const CallPaths &paths)
{
    const MessageSites sites(ranks);
    InsideSums sums;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const ThreadRecord &thread : ranks[r].file->threads)
            for (const mprof_partner &partner : thread.partners) {
                const size_t other = sites.index_of(partner.rank);
                const double seconds = partner_seconds(partner, ranks[r]);
                const uint32_t node = paths.node_of(r, partner.callsite);
                sums[node].all_s += seconds;
                if (other == unknown_rank || other == r || sites.host_of(other) != sites.host_of(r))
                    continue;
                InsideSum &sum = sums[node];
                sum.inside_s += seconds;
                sum.messages += partner.messages;
                sum.bytes += partner.bytes;
                sum.loads += takes_data(partner) ? partner.messages : 0;
                sum.load_bytes += takes_data(partner) ? partner.bytes : 0;
            }
    return sums;
}

// Of messages within a node.
struct NearCost {
    double latency_s = 0, byte_s = 0;
};

std::optional<NearCost> near_cost(const Report &report)
{
    std::array<std::vector<const MessageCost *>, 2> points;  // baseline, best case
    for (const MessageCost &cost : report.message_costs)
        if (cost.locality == Locality::same_node)
            points[cost.source == CostSource::baseline ? 0 : 1].push_back(&cost);
    const auto &known = points[points[0].empty() ? 1 : 0];
    if (known.empty())
        return std::nullopt;
    const MessageCost &least = *known.front(), &most = *known.back();
    NearCost cost{least.best_s, 0};
    if (most.bytes > least.bytes)
        cost.byte_s = std::max(0.0, most.best_s - least.best_s) /
                      static_cast<double>(most.bytes - least.bytes);
    return cost;
}

void add_inside(const InsideSum &sum, const std::optional<NearCost> &cost, CallsiteRow &row)
{
    row.inside_messages = sum.messages;
    row.inside_bytes = sum.bytes;
    row.inside_s = sum.inside_s;
    if (!cost || !row.wait_s)
        return;
    const double share = sum.all_s > 0 ? sum.inside_s / sum.all_s : 0;
    const double transfer_s = std::max(0.0, sum.inside_s - share * *row.wait_s);
    const double flags_s = static_cast<double>(sum.loads) * cost->latency_s;
    const double copies_s = static_cast<double>(sum.load_bytes) * cost->byte_s;
    row.load_s = flags_s + copies_s;
    row.load_saves_high_s = std::max(0.0, transfer_s - flags_s);
    row.load_saves_low_s = std::max(0.0, transfer_s - flags_s - copies_s);
}

bool moves_data(const std::string &function)
{
    const FunctionFacts facts = facts_of(function);
    return facts.sends || facts.receives || facts.kind == FunctionKind::one_sided;
}

void remark_on_shared_memory(Report &report)
{
    const Totals &totals = report.totals;
    const double ranks = std::max<double>(1, static_cast<double>(report.ranks.size()));
    if (!totals.load_saves_high_s || 100 * *totals.load_saves_high_s / ranks <
                                         verdict_thresholds.step_percent * report.run.wallclock_s)
        return;
    const auto most = std::max_element(report.callsites.begin(), report.callsites.end(),
                                       [](const CallsiteRow &a, const CallsiteRow &b) {
                                           return a.load_saves_high_s.value_or(0) <
                                                  b.load_saves_high_s.value_or(0);
                                       });
    report.partner_remarks.push_back(fmt::format(
        "shared memory: messages within nodes take the average rank {}, waiting included. An MPI-3 "
        "shared window and direct loads would save an estimated {} to {}, most in {} at {} ({} "
        "moved there)",
        duration_text(totals.inside_s / ranks), duration_text(*totals.load_saves_low_s / ranks),
        duration_text(*totals.load_saves_high_s / ranks), most->function, most->site.words(),
        bytes_text(most->inside_bytes)));
}

}  // namespace

void analyse_shared_memory(const RankMeasures &ranks, const Merged &merged, Report &report)
{
    if (report.callsites.empty() || report.ranks.size() < 2)
        return;
    const InsideSums sums = sums_of(ranks, merged.paths);
    const std::optional<NearCost> cost = near_cost(report);
    for (CallsiteRow &row : report.callsites) {
        const auto found = sums.find(row.node);
        // Several functions may be called at one place; who moves data has a partner.
        if (row.node == 0 || found == sums.end() || !moves_data(row.function))
            continue;
        add_inside(found->second, cost, row);
        report.totals.inside_s += row.inside_s;
        if (!row.load_saves_high_s)
            continue;
        report.totals.load_saves_low_s =
            report.totals.load_saves_low_s.value_or(0) + *row.load_saves_low_s;
        report.totals.load_saves_high_s =
            report.totals.load_saves_high_s.value_or(0) + *row.load_saves_high_s;
    }
    remark_on_shared_memory(report);
}

}  // namespace mprof
