// Colours of the text on a terminal, where they say how good or bad something is. Without them the
// text is the same: pipes, files and people who set NO_COLOR get that.
#pragma once

#include "report/verdict_thresholds.h"

#include <string>

namespace mprof {

// `text` as render_text(), render_brief() or render_diff_text() give it; `state` is that of its
// verdict or answer.
std::string with_colours(const std::string &text, Judgement state);

}  // namespace mprof
