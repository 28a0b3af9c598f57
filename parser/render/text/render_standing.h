// Where the ranks stand, for mprof hang: lines for a terminal, and a JSON document.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

std::string render_standing(const Report &report, size_t width);

// Of schema 1: what all documents begin with, and `standing` (share/doc/report-json.md).
std::string render_standing_json(const Report &report);

}  // namespace mprof
