// The ranks of a job on a screen: a bar each, or a character each, or a character for a group.
#pragma once

#include "render/text/top/styled_line.h"
#include "render/text/top/top_keys.h"

namespace mprof {

struct GridShape {
    size_t per_row = 8, rows = 1;  // cells in a row, and how many rows that makes
    size_t cell = 9, label = 0;    // characters of a cell, of its label in it
    size_t group = 1;              // ranks of a cell; of several the most unusual one is shown
    bool one_character = false, by_node = false;

    size_t bar() const { return cell - label - 2; }
};

// So many characters as the states of a split have shares of them.
void add_bar(StyledLine &line, const LiveSplit &split, size_t width);

GridShape shape_of_grid(const LiveView &view, const TopState &state, size_t width, size_t rows);
StyledLines rank_grid(const LiveView &view, const TopState &state, const GridShape &shape);

}  // namespace mprof
