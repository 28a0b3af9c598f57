// Lays a Scaling out: as text of at most `width` columns (at least 80), as JSON, or as a page. For
// scale_command.cc.
#pragma once

#include "scale/scaling.h"

#include <string>

namespace mprof {

std::string render_scale_text(const Scaling &scaling, size_t width);
std::string render_scale_json(const Scaling &scaling);
std::string render_scale_html(const Scaling &scaling);

}  // namespace mprof
