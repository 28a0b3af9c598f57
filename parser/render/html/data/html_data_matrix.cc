// Who sends how much to whom, for the page.
//
// As pairs, by rows of the matrix: `starts` holds (source, number of pairs) alternately,
// `destinations` the distance to the destination before (in each row the first one is itself), and
// `values` the row of `messages` and `bytes`, since most pairs of a program look alike. As a grid:
// `gaps` holds the number of empty cells before each cell in use, seven bits a byte, low ones
// first, the eighth set where more follow; then a byte per cell and figure, 0 for none, else
// low * (high / low) ^ ((byte - 1) / 254).
#include "render/html/data/html_data.h"

#include "render/html/data/html_page.h"
#include "report/fields/fields_of_ranks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mprof {
namespace {

// How much of a matrix goes into the page: so many pairs exactly, else a grid with so many cells in
// use, else a coarser one.
struct Detail {
    size_t exact_pairs;
    uint64_t fine_side;
    size_t fine_cells;
    uint64_t coarse_side;
};
constexpr Detail rank_detail = {40'000, 512, 60'000, 256};
constexpr Detail node_detail = {10'000, 256, 20'000, 128};

struct Pair {
    uint32_t source = 0, destination = 0;
    uint64_t messages = 0, bytes = 0;
    double time_s = 0;
};

Json pairs_json(const std::vector<Pair> &pairs)
{
    Json starts = Json::array(), destinations = Json::array(), values = Json::array();
    Json messages = Json::array(), bytes = Json::array(), times = Json::array();
    std::map<std::pair<uint64_t, uint64_t>, size_t> numbers;
    bool has_time = false;
    for (size_t i = 0; i < pairs.size(); i++) {
        const Pair &pair = pairs[i];
        const bool is_first = i == 0 || pairs[i - 1].source != pair.source;
        if (is_first) {
            starts.push_back(pair.source);
            starts.push_back(0);
        }
        starts.back() = starts.back().get<size_t>() + 1;
        destinations.push_back(pair.destination - (is_first ? 0 : pairs[i - 1].destination));
        const auto [at, is_new] = numbers.try_emplace({pair.messages, pair.bytes}, numbers.size());
        if (is_new) {
            messages.push_back(pair.messages);
            bytes.push_back(pair.bytes);
        }
        values.push_back(at->second);
        times.push_back(page_value(pair.time_s, shown_digits - 1));
        has_time = has_time || pair.time_s > 0;
    }
    Json json = {{"form", "pairs"},  {"starts", starts},     {"destinations", destinations},
                 {"values", values}, {"messages", messages}, {"bytes", bytes}};
    if (has_time)
        json["times"] = times;
    return json;
}

struct Grid {
    uint64_t side = 0;
    std::vector<std::array<double, 3>> cells;  // messages, bytes, time_s
    size_t in_use = 0;
};

Grid make_grid(const std::vector<Pair> &pairs, uint64_t ranks, uint64_t side)
{
    Grid grid;
    grid.side = std::min(side, ranks);
    grid.cells.resize(grid.side * grid.side);
    for (const Pair &pair : pairs) {
        auto &cell = grid.cells[pair.source * grid.side / ranks * grid.side +
                                pair.destination * grid.side / ranks];
        if (cell[0] <= 0)
            grid.in_use++;
        cell[0] += static_cast<double>(pair.messages);
        cell[1] += static_cast<double>(pair.bytes);
        cell[2] += pair.time_s;
    }
    return grid;
}

void append_gap(std::vector<uint8_t> &bytes, size_t gap)
{
    for (; gap >= 128; gap >>= 7U)
        bytes.push_back(static_cast<uint8_t>(gap & 127U) | 128U);
    bytes.push_back(static_cast<uint8_t>(gap));
}

Json grid_figure(const Grid &grid, size_t figure)
{
    double low = HUGE_VAL, high = 0;
    for (const auto &cell : grid.cells) {
        if (cell[figure] > 0)
            low = std::min(low, cell[figure]);
        high = std::max(high, cell[figure]);
    }
    if (high <= 0)
        return nullptr;
    const double steps = high > low ? 254 / std::log(high / low) : 0;
    std::vector<uint8_t> bytes;
    for (const auto &cell : grid.cells)
        if (cell[0] > 0)
            bytes.push_back(
                cell[figure] > 0
                    ? static_cast<uint8_t>(1 + std::lround(std::log(cell[figure] / low) * steps))
                    : 0);
    return {{"low", page_value(low)}, {"high", page_value(high)}, {"cells", base64(bytes)}};
}

Json grid_json(const std::vector<Pair> &pairs, uint64_t ranks, const Detail &detail)
{
    Grid grid = make_grid(pairs, ranks, detail.fine_side);
    if (grid.in_use > detail.fine_cells)
        grid = make_grid(pairs, ranks, detail.coarse_side);
    std::vector<uint8_t> gaps;
    size_t gap = 0;
    for (const auto &cell : grid.cells) {
        if (cell[0] > 0)
            append_gap(gaps, std::exchange(gap, 0));
        else
            gap++;
    }
    return {{"form", "grid"},
            {"cells_per_side", grid.side},
            {"gaps", base64(gaps)},
            {"messages", grid_figure(grid, 0)},
            {"bytes", grid_figure(grid, 1)},
            {"times", grid_figure(grid, 2)}};
}

bool fits(const std::vector<Pair> &pairs, const Detail &detail)
{
    return pairs.size() <= detail.exact_pairs;
}

Json any_form(const std::vector<Pair> &pairs, uint64_t side, const Detail &detail)
{
    Json json = fits(pairs, detail) ? pairs_json(pairs) : grid_json(pairs, side, detail);
    json["side"] = side;
    json["pairs"] = pairs.size();
    return json;
}

std::map<uint32_t, std::string> hosts_by_rank(const Report &report)
{
    std::map<uint32_t, std::string> hosts;
    for (const RankRow &row : report.ranks)
        hosts.emplace_hint(hosts.end(), row.rank, row.host);
    return hosts;
}

struct Sums {
    uint64_t messages = 0, bytes = 0, one_sided_messages = 0, one_sided_bytes = 0;
    uint64_t other_node_messages = 0, other_node_bytes = 0;
};

Sums add_up(const Report &report)
{
    const auto hosts = hosts_by_rank(report);
    const auto host = [&](uint32_t rank) {
        const auto at = hosts.find(rank);
        return at == hosts.end() ? std::string() : at->second;
    };
    Sums sums;
    for (const MatrixCell &cell : report.matrix) {
        sums.messages += cell.messages;
        sums.bytes += cell.bytes;
        sums.one_sided_messages += cell.one_sided_messages;
        sums.one_sided_bytes += cell.one_sided_bytes;
        if (host(cell.source) == host(cell.destination))
            continue;
        sums.other_node_messages += cell.messages;
        sums.other_node_bytes += cell.bytes;
    }
    return sums;
}

Json top_pairs(const Report &report)
{
    std::vector<MatrixCell> top(std::min(listed_pairs, report.matrix.size()));
    std::partial_sort_copy(
        report.matrix.begin(), report.matrix.end(), top.begin(), top.end(),
        [](const MatrixCell &a, const MatrixCell &b) { return a.bytes > b.bytes; });
    const auto hosts = hosts_by_rank(report);
    const auto is_known = [&](uint32_t rank) { return hosts.contains(rank); };
    return page_columns(top, report)
        .add("same_node",
             [&](const MatrixCell &cell) -> std::optional<bool> {
                 if (!is_known(cell.source) || !is_known(cell.destination))
                     return std::nullopt;
                 return hosts.at(cell.source) == hosts.at(cell.destination);
             })
        .json();
}

void sort_pairs(std::vector<Pair> &pairs)
{
    std::sort(pairs.begin(), pairs.end(), [](const Pair &a, const Pair &b) {
        return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
    });
}

template <class Row>
std::vector<Pair> pairs_of(const std::vector<Row> &rows)
{
    std::vector<Pair> pairs;
    for (const Row &row : rows)
        pairs.push_back({row.source, row.destination, row.messages, row.bytes, row.time_s});
    sort_pairs(pairs);
    return pairs;
}

}  // namespace

Json html_matrix(const Report &report)
{
    if (report.matrix.empty())
        return nullptr;
    const std::vector<Pair> pairs = pairs_of(report.matrix);
    Json json = any_form(pairs, report.quality.ranks_expected, rank_detail);
    const Sums sums = add_up(report);
    json["totals"] = {{"messages", sums.messages},
                      {"bytes", sums.bytes},
                      {"one_sided_messages", sums.one_sided_messages},
                      {"one_sided_bytes", sums.one_sided_bytes},
                      {"other_node_messages", sums.other_node_messages},
                      {"other_node_bytes", sums.other_node_bytes}};
    if (!fits(pairs, rank_detail))  // else the page finds them itself
        json["top"] = top_pairs(report);
    return json;
}

Json html_nccl_matrix(const Report &report)
{
    std::vector<Pair> pairs;
    for (const NcclPartnerRow &row : report.nccl_partners)
        pairs.push_back({row.rank, row.partner, row.messages, row.bytes, row.time_s});
    sort_pairs(pairs);
    return any_form(pairs, report.quality.ranks_expected, rank_detail);
}

Json html_node_matrix(const Report &report)
{
    if (report.nodes.size() < 2 || report.node_pairs.empty())
        return nullptr;
    return any_form(pairs_of(report.node_pairs), report.nodes.size(), node_detail);
}

}  // namespace mprof
