// The document is the table of the Comparison (diff/comparison_fields.h).
#include "diff/comparison_fields.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {

constexpr int diff_schema = 1;

std::string render_diff_json(const Comparison &comparison)
{
    return document_json(comparison, diff_schema);
}

}  // namespace mprof
