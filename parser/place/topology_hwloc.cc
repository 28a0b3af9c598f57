// hwloc tells which cores of a node share a socket and a cache.
#include "place/read_order.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <map>
#include <memory>

namespace mprof {
namespace {

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

// The largest cache that several cores may share; without any, the socket.
hwloc_obj_t shared_part(hwloc_topology_t topology, hwloc_obj_t core, hwloc_obj_t socket)
{
    hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, core);
    if (cache == nullptr)
        cache = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L2CACHE, core);
    return cache != nullptr ? cache : socket;
}

}  // namespace

bool can_read_topology()
{
    return true;
}

std::variant<std::vector<NodeCore>, std::string> cores_of_node(const std::string &words,
                                                               bool is_file)
{
    hwloc_topology_t made = nullptr;
    if (hwloc_topology_init(&made) != 0)
        return "hwloc cannot start";
    const Topology topology(made);
    const bool is_here = !is_file && words == this_machine;
    const std::string with_threads = words + " pu:1";  // hwloc's words end with threads of a core
    const int failed = is_here   ? 0
                       : is_file ? hwloc_topology_set_xml(made, words.c_str())
                       : hwloc_topology_set_synthetic(made, words.c_str()) == 0
                           ? 0
                           : hwloc_topology_set_synthetic(made, with_threads.c_str());
    if (failed != 0 || hwloc_topology_load(made) != 0)
        return std::string(is_file ? "hwloc cannot read the file"
                                   : "hwloc does not know these words; an example that it knows: "
                                     "\"package:2 core:8\"");
    std::vector<NodeCore> cores;
    std::map<hwloc_obj_t, uint32_t> sockets, caches;
    for (hwloc_obj_t core = nullptr;
         (core = hwloc_get_next_obj_by_type(made, HWLOC_OBJ_CORE, core)) != nullptr;) {
        hwloc_obj_t socket = hwloc_get_ancestor_obj_by_type(made, HWLOC_OBJ_PACKAGE, core);
        if (socket == nullptr)
            socket = hwloc_get_root_obj(made);
        NodeCore row;
        row.socket =
            sockets.try_emplace(socket, static_cast<uint32_t>(sockets.size())).first->second;
        row.cache =
            caches
                .try_emplace(shared_part(made, core, socket), static_cast<uint32_t>(caches.size()))
                .first->second;
        cores.push_back(row);
    }
    if (cores.empty())
        return "it has no cores";
    return cores;
}

}  // namespace mprof
