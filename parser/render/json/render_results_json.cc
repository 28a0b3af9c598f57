// The document is the table of the ResultsComparison (results/results_fields.h).
#include "render/json/json_parts.h"
#include "render/renderers.h"
#include "results/results_fields.h"

namespace mprof {

constexpr int results_schema = 1;

std::string render_results_json(const ResultsComparison &comparison)
{
    return document_json(comparison, results_schema);
}

}  // namespace mprof
