// The report as JSON, schema 1 (share/doc/report-json.md): everything, with stable keys in a stable
// order.
#pragma once

#include "report/report.h"

#include <functional>
#include <string>
#include <string_view>

namespace mprof {

using TextSink = std::function<void(std::string_view)>;

// The document in pieces, in order. The one of a million ranks has gigabytes: it is never whole in
// memory.
void write_json(const Report &report, const TextSink &sink);

std::string render_json(const Report &report);

// What mprof lint tells: `lints` and `lint_rules` of it.
std::string render_lints_json(const Report &report);

}  // namespace mprof
