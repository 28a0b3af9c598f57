// Machines that are not the run's: nodes of a host file, and what is inside of a node by hwloc, of
// an XML file or by words. For main/place_command.cc.
#pragma once

#include "place/machine.h"
#include "place/read_order.h"

#include <string>
#include <variant>
#include <vector>

namespace mprof {

// A core of a node, in hwloc's order.
struct NodeCore {
    uint32_t socket = 0, cache = 0;
};

// What --topology names. `nodes` is 0 where it tells of one node alone.
struct NodeTopology {
    uint32_t nodes = 0;
    std::vector<NodeCore> cores;
};

// False if mprof was built without hwloc.
bool can_read_topology();

// "node:4 package:2 core:8", the name of an XML file of hwloc (lstopo FILE.xml), or `this_machine`.
// Else why not, in words.
inline constexpr const char *this_machine = "here";
std::variant<NodeTopology, std::string> read_topology(const std::string &words);
std::variant<std::vector<NodeCore>, std::string> cores_of_node(const std::string &words,
                                                               bool is_file);

// The machine for `report`'s ranks: of these hosts, and with this inside; either may be null, then
// it is that of the run. Else what is missing, in words.
std::variant<Machine, std::string> other_machine(const Report &report,
                                                 const std::vector<HostSlots> *hosts,
                                                 const NodeTopology *topology);

}  // namespace mprof
