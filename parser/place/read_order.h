// Reads where ranks are, shall be or can be: from what launchers take and say, from host files, and
// from what hwloc knows of a node. Trusts nothing in it.
#pragma once

#include "place/transfer_model.h"
#include "read/file_result.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace mprof {

// Reads where ranks are, or shall be, from what launchers take and say.

// The nodes that a launcher may use: "node1", "node1 slots=4", "node1:4", a line each.
struct HostSlots {
    std::string host;
    uint32_t slots = 1;
};
Result<std::vector<HostSlots>> read_host_file(const std::string &path);
Result<std::vector<HostSlots>> hosts_in_text(const std::string &path, const std::string &text);

// An order of the ranks that somebody wrote down.
struct WrittenOrder {
    std::string file;
    // By rank: a host, "+n2" for the third node, or "" where `place` tells.
    std::vector<std::string> hosts;
    std::vector<uint32_t> sockets;  // by rank; unknown_part where it is not told
    std::vector<uint32_t> places;   // by rank, of MPICH_RANK_ORDER: the number of the place
};

// A rank file of Open MPI, what mpirun --report-bindings says, MPICH_RANK_ORDER, or a list of
// hosts. Ranks 0 to `ranks` - 1 occur once each.
Result<WrittenOrder> read_order(const std::string &path, uint32_t ranks);
Result<WrittenOrder> order_in_text(const std::string &path, const std::string &text,
                                   uint32_t ranks);

// Machines that are not the run's: nodes of a host file, and what is inside a node by hwloc, of
// an XML file or by words.

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
