// The document is the table of the Scaling (scale/scaling_fields.h).
#include "render/json/json_parts.h"
#include "render/renderers.h"
#include "scale/scaling_fields.h"

namespace mprof {

constexpr int scale_schema = 1;

std::string render_scale_json(const Scaling &scaling)
{
    return document_json(scaling, scale_schema);
}

}  // namespace mprof
