// Lays a comparison out: as text of at most `width` columns (at least 80), as JSON, as a page, or
// as Markdown for a comment on a code host. For diff_command.cc.
#pragma once

#include "diff/comparison.h"

#include <string>

namespace mprof {

std::string render_diff_text(const Comparison &comparison, size_t width);
std::string render_diff_json(const Comparison &comparison);
std::string render_diff_html(const Comparison &comparison);
std::string render_diff_markdown(const Comparison &comparison);

}  // namespace mprof
