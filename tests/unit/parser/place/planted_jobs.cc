#include "place/planted_jobs.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace planted {

using namespace mprof;

namespace {

void add_costs(Report &report, Locality locality, double latency_s, double byte_s)
{
    for (const uint64_t bytes : {uint64_t{8}, uint64_t{65536}, uint64_t{262144}}) {
        const double seconds = latency_s + static_cast<double>(bytes) * byte_s;
        report.message_costs.push_back({locality, bytes, seconds, seconds, CostSource::baseline});
    }
}

}  // namespace

Report job(const std::vector<uint32_t> &node_of_rank)
{
    Report report;
    report.version = "test";
    report.run.command = "./app -n 4";
    report.run.mpi_library = "Open MPI v5.0.3";
    report.run.ranks = static_cast<uint32_t>(node_of_rank.size());
    report.run.complete = true;
    std::map<uint32_t, size_t> rows;
    for (uint32_t rank = 0; rank < node_of_rank.size(); rank++) {
        RankRow &row = report.ranks.emplace_back();
        row.rank = rank;
        row.host = fmt::format("node{}", node_of_rank[rank]);
        const auto [at, is_new] = rows.try_emplace(node_of_rank[rank], report.nodes.size());
        if (is_new) {
            report.nodes.emplace_back().host = row.host;
            report.nodes.back().first_rank = rank;
            report.nodes.back().facts = {{"cores", "64"}};
        }
        report.nodes[at->second].ranks++;
    }
    add_costs(report, Locality::same_node, 1e-6, same_node_byte_s);
    add_costs(report, Locality::other_node, 1e-6, other_node_byte_s);
    return report;
}

void exchange(Report &report, uint32_t a, uint32_t b, uint64_t bytes)
{
    for (const auto &[source, destination] : {std::pair(a, b), std::pair(b, a)}) {
        MatrixCell &cell = report.matrix.emplace_back();
        cell.source = source;
        cell.destination = destination;
        cell.bytes = bytes;
        cell.messages = std::max<uint64_t>(1, bytes / 65536);
    }
}

void finish(Report &report)
{
    std::sort(report.matrix.begin(), report.matrix.end(), [](const auto &a, const auto &b) {
        return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
    });
    std::map<std::string, double> card_bytes;
    for (const MatrixCell &cell : report.matrix)
        if (report.ranks[cell.source].host != report.ranks[cell.destination].host)
            card_bytes[report.ranks[cell.source].host] += static_cast<double>(cell.bytes);
    std::map<uint32_t, double> inside_bytes;
    for (const MatrixCell &cell : report.matrix)
        if (report.ranks[cell.source].host == report.ranks[cell.destination].host)
            inside_bytes[cell.source] += static_cast<double>(cell.bytes);
    double most_s = 0;
    for (RankRow &row : report.ranks) {
        row.message_s =
            card_bytes[row.host] * other_node_byte_s + inside_bytes[row.rank] * same_node_byte_s;
        row.message_wait_s = 0;
        row.transfer_s = row.message_s;
        most_s = std::max(most_s, *row.message_s);
    }
    report.run.wallclock_s = 2 * most_s + 1;
}

void add_stencil(Report &report, uint32_t width, uint32_t height,
                 const std::vector<uint32_t> &rank_of_cell, uint64_t bytes)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t cell = y * width + x;
            if (x + 1 < width)
                exchange(report, rank_of_cell[cell], rank_of_cell[cell + 1], bytes);
            if (y + 1 < height)
                exchange(report, rank_of_cell[cell], rank_of_cell[cell + width], bytes);
        }
}

std::vector<uint32_t> in_blocks(uint32_t ranks, uint32_t per_node)
{
    std::vector<uint32_t> nodes;
    for (uint32_t rank = 0; rank < ranks; rank++)
        nodes.push_back(rank / per_node);
    return nodes;
}

std::vector<uint32_t> in_turn(uint32_t ranks, uint32_t nodes)
{
    std::vector<uint32_t> result;
    for (uint32_t rank = 0; rank < ranks; rank++)
        result.push_back(rank % nodes);
    return result;
}

}  // namespace planted
