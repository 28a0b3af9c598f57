#include "place/comm_graph.h"

#include <algorithm>

namespace mprof {
namespace {

// Sorts each row, and adds up what goes to the same partner.
void join_edges(CommGraph &graph)
{
    std::vector<std::pair<uint32_t, double>> row;
    size_t end = 0, begin = 0;
    for (size_t r = 0; r + 1 < graph.first.size(); r++) {
        row.clear();
        for (size_t i = begin; i < graph.first[r + 1]; i++)
            row.emplace_back(graph.partner[i], graph.weight[i]);
        begin = graph.first[r + 1];
        std::sort(row.begin(), row.end());
        graph.first[r] = end;
        for (const auto &[partner, weight] : row) {
            if (end > graph.first[r] && graph.partner[end - 1] == partner) {
                graph.weight[end - 1] += weight;
                continue;
            }
            graph.partner[end] = partner;
            graph.weight[end++] = weight;
        }
    }
    graph.first.back() = end;
    graph.partner.resize(end);
    graph.weight.resize(end);
}

}  // namespace

CommGraph comm_graph(const std::vector<MatrixCell> &cells, uint32_t ranks,
                     const std::function<double(const MatrixCell &)> &weight_of)
{
    CommGraph graph;
    const auto counts = [&](const MatrixCell &cell) {
        return cell.source != cell.destination && cell.source < ranks && cell.destination < ranks;
    };
    graph.first.assign(ranks + size_t{1}, 0);
    for (const MatrixCell &cell : cells)
        if (counts(cell)) {
            graph.first[cell.source + size_t{1}]++;
            graph.first[cell.destination + size_t{1}]++;
        }
    for (size_t r = 0; r < ranks; r++)
        graph.first[r + 1] += graph.first[r];
    std::vector<size_t> next(graph.first.begin(), graph.first.end() - 1);
    graph.partner.resize(graph.first.back());
    graph.weight.resize(graph.first.back());
    for (const MatrixCell &cell : cells) {
        if (!counts(cell))
            continue;
        const double weight = weight_of(cell);
        for (const auto &[row, partner] :
             {std::pair(cell.source, cell.destination), std::pair(cell.destination, cell.source)}) {
            graph.partner[next[row]] = partner;
            graph.weight[next[row]++] = weight;
        }
    }
    join_edges(graph);
    return graph;
}

CommGraph part_of(const CommGraph &graph, const std::vector<uint32_t> &rows,
                  std::vector<uint32_t> &numbers)
{
    CommGraph part;
    for (size_t i = 0; i < rows.size(); i++)
        numbers[rows[i]] = static_cast<uint32_t>(i);
    for (const uint32_t row : rows) {
        for (size_t i = graph.first[row]; i < graph.first[row + size_t{1}]; i++)
            if (numbers[graph.partner[i]] != unknown_row) {
                part.partner.push_back(numbers[graph.partner[i]]);
                part.weight.push_back(graph.weight[i]);
            }
        part.first.push_back(part.partner.size());
    }
    for (const uint32_t row : rows)
        numbers[row] = unknown_row;
    return part;
}

}  // namespace mprof
