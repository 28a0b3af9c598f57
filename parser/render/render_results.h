// Lays a ResultsComparison out: as text of at most `width` columns (at least 80), as JSON, or as a
// page for the browser. For mprof diff --results.
#pragma once

#include "results/results_comparison.h"

#include <string>

namespace mprof {

std::string render_results_text(const ResultsComparison &comparison, size_t width);
std::string render_results_json(const ResultsComparison &comparison);
std::string render_results_html(const ResultsComparison &comparison);

}  // namespace mprof
