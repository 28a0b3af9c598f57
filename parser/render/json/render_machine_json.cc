// The document is the table of the MachineFigures (machine/machine_fields.h).
#include "machine/machine_fields.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {

constexpr int machine_schema = 1;

std::string render_machine_json(const MachineFigures &figures)
{
    return document_json(figures, machine_schema, "machine");
}

}  // namespace mprof
