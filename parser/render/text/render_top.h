// The view of mprof top, as lines for a terminal of this size.
#pragma once

#include "analyse/live/live_view.h"

#include <cstddef>
#include <string>

namespace mprof {

std::string render_top(const LiveView &view, size_t width, size_t height);

}  // namespace mprof
