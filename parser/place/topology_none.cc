// In place of topology_hwloc.cc where there is no hwloc.
#include "place/read_order.h"

#include "mprof/format/library_names.h"

namespace mprof {

bool can_read_topology()
{
    return false;
}

std::variant<std::vector<NodeCore>, std::string> cores_of_node(const std::string & /*words*/,
                                                               bool /*is_file*/)
{
    return "this mprof was built without " MPROF_LIBRARY_HWLOC;
}

}  // namespace mprof
