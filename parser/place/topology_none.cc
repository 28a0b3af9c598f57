// In place of topology_hwloc.cc where there is no hwloc.
#include "place/read_order.h"

namespace mprof {

bool can_read_topology()
{
    return false;
}

std::variant<std::vector<NodeCore>, std::string> cores_of_node(const std::string & /*words*/,
                                                               bool /*is_file*/)
{
    return "this mprof was built without hwloc (Debian: libhwloc-dev)";
}

}  // namespace mprof
