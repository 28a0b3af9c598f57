// The parts of the screen of mprof top, each as lines: the ranks (rank_grid.cc), and all else
// (top_blocks.cc).
#pragma once

#include "render/text/top/styled_line.h"
#include "render/text/top/top_keys.h"

namespace mprof {

// The ranks of a job on a screen: a bar each, or a character each, or a character for a group.
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

// Program, size, how long it runs; the answer; one bar of all ranks; waiting since the start.
StyledLines top_head(const LiveView &view, const TopState &state, size_t width,
                     size_t answer_lines);

StyledLines waits_block(const LiveView &view, size_t width, size_t rows);
StyledLines now_block(const LiveView &view, size_t width, size_t rows);
StyledLines sites_block(const LiveView &view, size_t width, size_t rows);
StyledLines phases_block(const LiveView &view, size_t width, size_t rows);
StyledLines nodes_block(const LiveView &view, size_t width, size_t rows);
// "59 wait, 4 compute"
StyledLine now_line(const LiveView &view);
// The rank under the cursor: one line, or two.
StyledLines rank_block(const LiveView &view, const TopState &state, size_t width, bool tall);
// Its stack and its last calls.
StyledLines stack_block(const LiveView &view, const TopState &state, size_t width, size_t rows);
StyledLine keys_line(const TopState &state, size_t width);

}  // namespace mprof
