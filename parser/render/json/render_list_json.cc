// The document is the table of the ProfileList (list/profile_list_fields.h).
#include "list/profile_list_fields.h"
#include "render/json/json_parts.h"
#include "render/renderers.h"

namespace mprof {

constexpr int list_schema = 1;

std::string render_list_json(const ProfileList &list)
{
    return document_json(list, list_schema);
}

}  // namespace mprof
