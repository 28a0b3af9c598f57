// Up to 64 ranks have a bar each. Above that a rank is the character of the state it is in most,
// and above 2,048, or where the screen is too small, a group is: that of the rank whose computing
// is furthest from the median, so that a slow rank is seen at any size.
#include "render/text/top/render_screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr size_t most_bars = 64, most_characters = 2048;
constexpr size_t row_label = 7;  // "  rank "
constexpr size_t node_label = 12;
constexpr size_t most_in_node_row = 4;

size_t divided_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

bool can_be_by_node(const LiveView &view, const TopState &state, size_t rows)
{
    return !state.by_computing && view.nodes.size() > 1 && view.nodes.size() <= rows &&
           view.rank_bars.size() <= most_bars &&
           std::all_of(view.nodes.begin(), view.nodes.end(),
                       [](const LiveNode &node) { return node.ranks <= most_in_node_row; });
}

GridShape shape_of_bars(const LiveView &view, const TopState &state, size_t width, size_t rows)
{
    constexpr size_t least_bar = 7, most_bar = 24, number = 2;  // digits
    GridShape shape;
    const size_t ranks = std::max<size_t>(1, view.rank_bars.size());
    shape.by_node = width < 80 && can_be_by_node(view, state, rows);
    if (shape.by_node)
        for (const LiveNode &node : view.nodes)
            shape.per_row = std::min<size_t>(most_in_node_row, std::max<size_t>(1, node.ranks));
    else
        shape.per_row = std::min<size_t>(width < 64 ? 4 : 8, ranks);
    shape.rows = shape.by_node ? view.nodes.size() : divided_up(ranks, shape.per_row);
    shape.label = shape.by_node || state.by_computing ? number + 1 : 0;
    const size_t left = shape.by_node ? node_label : row_label;
    shape.cell =
        std::clamp((width - left) / shape.per_row, shape.label > 0 ? size_t{9} : least_bar + 2,
                   shape.label + most_bar + 2);
    return shape;
}

GridShape shape_of_characters(const LiveView &view, size_t width, size_t rows)
{
    GridShape shape;
    shape.one_character = true;
    shape.cell = 1;
    shape.per_row = width >= 64 + row_label + 1 ? 64 : 32;
    const size_t ranks = view.rank_bars.size();
    const size_t room = std::min(most_characters, shape.per_row * std::max<size_t>(1, rows));
    shape.group = divided_up(ranks, room);
    shape.rows = divided_up(divided_up(ranks, shape.group), shape.per_row);
    return shape;
}

double how_unusual(const LiveRank &rank)
{
    return rank.waited_for ? 1e9 : std::abs(rank.over_median - 1);
}

struct Cells {
    const LiveView &view;
    const GridShape &shape;
    std::vector<size_t> order;
    size_t cursor;  // row of rank_bars
    bool is_chosen;

    // Rows of rank_bars in the cell.
    std::pair<size_t, size_t> range(size_t cell) const
    {
        return {cell * shape.group, std::min((cell + 1) * shape.group, order.size())};
    }

    const LiveRank &shown(size_t cell) const
    {
        const auto [begin, end] = range(cell);
        size_t best = begin;
        for (size_t i = begin + 1; i < end; i++)
            if (how_unusual(view.rank_bars[order[i]]) > how_unusual(view.rank_bars[order[best]]))
                best = i;
        return view.rank_bars[order[best]];
    }

    bool has_cursor(size_t cell) const
    {
        const auto [begin, end] = range(cell);
        return is_chosen && std::find(order.begin() + static_cast<ptrdiff_t>(begin),
                                      order.begin() + static_cast<ptrdiff_t>(end),
                                      cursor) != order.begin() + static_cast<ptrdiff_t>(end);
    }

    void add_mark(StyledLine &line, size_t cell) const
    {
        if (has_cursor(cell))
            line.add_sign("◆", '*', Ink::watch);
        else if (shown(cell).waited_for)
            line.add_sign("◀", '<', Ink::alarm);
        else
            line.add(" ");
    }

    void add(StyledLine &line, size_t cell) const
    {
        const LiveRank &rank = shown(cell);
        const bool has_mark = has_cursor(cell) || rank.waited_for;
        if (shape.one_character) {
            if (has_mark)
                add_mark(line, cell);
            else if (rank.ended)
                line.add(".", Ink::dim);
            else
                line.add_state(rank.mostly, 1);
            return;
        }
        if (shape.label > 0)
            line.add(fmt::format("{:>{}} ", rank.rank, shape.label - 1),
                     rank.waited_for ? Ink::alarm : Ink::dim);
        if (rank.ended)
            line.add(fmt::format("{:<{}}", "ended", shape.bar()).substr(0, shape.bar()), Ink::dim);
        else
            add_bar(line, rank.split, shape.bar());
        add_mark(line, cell);
        line.add(" ");
    }
};

StyledLine header_of(const GridShape &shape, const TopState &state)
{
    StyledLine line;
    if (shape.by_node)
        return line.add("  node", Ink::dim).to(node_label).add("  ranks", Ink::dim);
    line.add("  rank  ", Ink::dim);
    if (state.by_computing)
        return line.add("longest computing first", Ink::dim);
    if (shape.one_character) {
        if (shape.group > 1)
            line.add(
                fmt::format("a character is {} ranks and shows the most unusual one", shape.group),
                Ink::dim);
        else
            line.add("a character shows what the rank mostly does", Ink::dim);
        return line;
    }
    for (size_t i = 0; i < shape.per_row; i++)
        line.to(row_label + 1 + i * shape.cell).add(fmt::format("+{}", i), Ink::dim);
    return line;
}

StyledLines rows_by_node(const LiveView &view, const Cells &cells)
{
    StyledLines lines(view.nodes.size());
    for (size_t n = 0; n < lines.size(); n++)
        lines[n]
            .add("  ")
            .add(view.nodes[n].host.substr(0, node_label - 3),
                 view.nodes[n].waited_for ? Ink::alarm : Ink::plain)
            .to(node_label);
    for (size_t i = 0; i < view.rank_bars.size(); i++)
        cells.add(lines[view.rank_bars[i].node], i);
    return lines;
}

}  // namespace

void add_bar(StyledLine &line, const LiveSplit &split, size_t width)
{
    if (split.all_s() <= 0) {
        line.add(std::string(width, ' '));
        return;
    }
    double sum = 0;
    size_t used = 0;
    for (const TimeStateRow *row = time_states; row->seconds != nullptr; row++) {
        sum += split.*row->seconds;
        const auto end = std::min(width, static_cast<size_t>(std::lround(
                                             sum / split.all_s() * static_cast<double>(width))));
        if (end > used)
            line.add_state(row->state, end - used);
        used = std::max(used, end);
    }
}

GridShape shape_of_grid(const LiveView &view, const TopState &state, size_t width, size_t rows)
{
    if (view.rank_bars.size() <= most_bars) {
        const GridShape bars = shape_of_bars(view, state, width, rows);
        if (bars.rows <= rows)
            return bars;
    }
    return shape_of_characters(view, width, rows);
}

StyledLines rank_grid(const LiveView &view, const TopState &state, const GridShape &shape)
{
    const Cells cells{view, shape, order_of_ranks(view, state), row_at_cursor(view, state),
                      state.is_chosen};
    StyledLines lines = {header_of(shape, state)};
    if (shape.by_node) {
        for (StyledLine &line : rows_by_node(view, cells))
            lines.push_back(std::move(line));
        return lines;
    }
    const size_t count = divided_up(view.rank_bars.size(), shape.group);
    for (size_t cell = 0; cell < count; cell++) {
        if (cell % shape.per_row == 0) {
            const std::string label =
                state.by_computing ? "" : fmt::format("{}", cells.shown(cell).rank);
            lines.emplace_back();
            if (shape.group == 1)
                lines.back().add(fmt::format("{:>6}", label), Ink::dim);
            else
                lines.back().add(fmt::format("{:>6}", view.rank_bars[cells.range(cell).first].rank),
                                 Ink::dim);
            lines.back().to(row_label + 1);
        }
        cells.add(lines.back(), cell);
    }
    return lines;
}

}  // namespace mprof
