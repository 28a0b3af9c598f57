// The report as JSON, schema 1 (share/doc/report-json.md): everything, with stable keys in a stable
// order.
#pragma once

#include "report/report.h"

#include <string>

namespace mprof {

std::string render_json(const Report &report);

// What mprof lint tells: `lints` and `lint_rules` of it.
std::string render_lints_json(const Report &report);

}  // namespace mprof
