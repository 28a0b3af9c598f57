// The view of mprof top: of one moment as lines, and as a screen, which is a pure function of a
// view, the keys so far and the terminal.
//
// First its lines: pieces of text that know what they mean, and get colours at the very end. What
// comes out has at most the width that is asked for, in characters of the terminal. All text that
// came from a file is made printable here.
#pragma once

#include "analyse/live/live_view.h"
#include "report/states.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mprof {

// What a terminal can do.
struct ScreenStyle {
    bool colours = false, utf8 = false;
};

enum class Ink { plain, strong, dim, title, bar, key, alarm, watch, good, state };

class StyledLine {
public:
    // Printable ASCII.
    StyledLine &add(std::string_view text, Ink ink = Ink::plain);
    // So many characters of the state: its glyph, in its colour.
    StyledLine &add_state(TimeState state, size_t count);
    // One character, another one without UTF-8.
    StyledLine &add_sign(std::string_view utf8, char ascii, Ink ink = Ink::plain);
    // A height from 0 to 1, in the colour of the state.
    StyledLine &add_level(double share, TimeState state);
    StyledLine &add_line(const StyledLine &other);
    // Spaces up to `column`, from 0. What is there already stays.
    StyledLine &to(size_t column, Ink ink = Ink::plain);

    size_t width() const { return width_; }
    // At most `width` characters, with a line end.
    std::string finished(const ScreenStyle &style, size_t width) const;

private:
    enum class Kind { text, state, sign, level };
    struct Piece {
        Kind kind = Kind::text;
        std::string text;
        char ascii = 0;
        size_t count = 0;  // characters
        Ink ink = Ink::plain;
        TimeState state = TimeState::computing;
    };
    static std::string glyphs(const Piece &piece, const ScreenStyle &style, size_t count);

    std::vector<Piece> pieces_;
    size_t width_ = 0;
};

using StyledLines = std::vector<StyledLine>;

// "=" and relatives, for legends.
void add_state_name(StyledLine &line, TimeState state, std::string_view name);

// Puts `right` beside `left`, from that column on.
StyledLines beside(const StyledLines &left, const StyledLines &right, size_t column);

// The keys of mprof top, and what they change.

enum class TopKey { up, down, left, right, enter, waits, sites, nodes, sort, pause, back, quit };

// Takes what is a whole key out of `bytes`. An escape at their end may become an arrow.
std::vector<TopKey> take_keys(std::string &bytes);

// What is shown where the ranks are otherwise.
enum class TopPanel { ranks, stack, waits, sites, nodes };

struct TopState {
    TopPanel panel = TopPanel::ranks;
    size_t cursor = 0;          // place in the order of the ranks
    bool is_chosen = false;     // by an arrow; else the cursor follows the rank waited for
    bool by_computing = false;  // ranks in the order of their computing, longest first
    bool paused = false, quit = false;
};

// Rows of LiveView::rank_bars in the order in which they are shown.
std::vector<size_t> order_of_ranks(const LiveView &view, const TopState &state);
// The row under the cursor.
size_t row_at_cursor(const LiveView &view, const TopState &state);

// `columns`: how many ranks are in a row of the screen.
void press_key(TopKey key, const LiveView &view, size_t columns, TopState &state);

// The parts of the screen of mprof top, each as lines: the ranks (rank_grid.cc), and all else
// (top_blocks.cc).

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

// The view of mprof top, as lines for a terminal of this size.
std::string render_top(const LiveView &view, size_t width, size_t height);

// The screen of mprof top: a pure function of a view, the keys so far and the terminal.
struct ScreenSize {
    size_t width = 80, height = 24;
};

// At most `height` lines, the last one the keys; no line is wider than `width`.
std::string render_screen(const LiveView &view, const TopState &state, const ScreenSize &size,
                          const ScreenStyle &style);

// How many ranks an arrow down moves over.
size_t ranks_in_row(const LiveView &view, const TopState &state, const ScreenSize &size);

}  // namespace mprof
