// Lays a Placing out: as text of at most `width` columns (at least 80), as JSON, or as a page. For
// place_command.cc.
#pragma once

#include "place/placing.h"

#include <string>

namespace mprof {

// `profile` is what the user named; `file` is the launch file that was written, "" = none was.
struct PlacingPaths {
    std::string profile, file;
};

std::string render_place_text(const Placing &placing, const PlacingPaths &paths, size_t width);
std::string render_place_json(const Placing &placing);
std::string render_place_html(const Placing &placing, const PlacingPaths &paths);

}  // namespace mprof
