// The document is the table of the Tuning (tune/tuning_fields.h).
#include "render/json/json_parts.h"
#include "render/renderers.h"
#include "tune/tuning_fields.h"

namespace mprof {

constexpr int tune_schema = 1;

std::string render_tune_json(const Tuning &tuning)
{
    return document_json(tuning, tune_schema);
}

}  // namespace mprof
