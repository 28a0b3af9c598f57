// The keys of mprof top, and what they change.
#pragma once

#include "analyse/live/live_view.h"

#include <string>
#include <vector>

namespace mprof {

enum class TopKey { up, down, left, right, enter, waits, sites, nodes, sort, pause, back, quit };

// Takes what is a whole key out of `bytes`. An escape at their end may become an arrow.
std::vector<TopKey> take_keys(std::string &bytes);

// What is shown where all ranks stand otherwise.
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

// `columns`: how many ranks stand in a row of the screen.
void press_key(TopKey key, const LiveView &view, size_t columns, TopState &state);

}  // namespace mprof
