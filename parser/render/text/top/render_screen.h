// The view of mprof top: of one moment as lines, and as a screen, which is a pure function of a
// view, the keys so far and the terminal.
#pragma once

#include "analyse/live/live_view.h"
#include "render/text/top/styled_line.h"
#include "render/text/top/top_keys.h"

#include <cstddef>
#include <string>

namespace mprof {

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
