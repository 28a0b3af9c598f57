// The document is the table of the Placing (place/placing_fields.h).
#include "place/placing_fields.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {

constexpr int place_schema = 1;

std::string render_place_json(const Placing &placing)
{
    return document_json(placing, place_schema);
}

}  // namespace mprof
