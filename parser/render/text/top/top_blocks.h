// The parts of the screen of mprof top, each as lines.
#pragma once

#include "render/text/top/styled_line.h"
#include "render/text/top/top_keys.h"

namespace mprof {

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
