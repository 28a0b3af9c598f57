// Reads where ranks are, or shall be, from what launchers take and say. Trusts nothing in it.
#pragma once

#include "place/machine.h"
#include "read/file_result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

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

}  // namespace mprof
