// Where the ranks stand, for mprof hang: lines for a terminal, and a JSON document.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

// With the last calls of `rank`, or else of the first three to look at.
std::string render_standing(const Report &report, size_t width,
                            std::optional<uint32_t> rank = std::nullopt);

// Of schema 1: what all documents begin with, `standing` and `last_calls`, of all ranks or of
// `rank` alone (share/doc/report-json.md).
std::string render_standing_json(const Report &report, std::optional<uint32_t> rank = std::nullopt);

}  // namespace mprof
