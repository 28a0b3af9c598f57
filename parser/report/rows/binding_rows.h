// Where ranks sit in their nodes: the CPUs that they may run on, and the parts of the node that
// hold these. parser/analyse/placement/ fills the rows, and text and page draw them.
#pragma once

#include "report/states.h"

#include <cstdint>
#include <string>

namespace mprof {

// Ranks of one node that may run on the same CPUs. Nodes that are alike have one set of rows.
struct BindingRow {
    std::string host;    // the first of the nodes that are alike
    uint64_t nodes = 0;  // that are alike, this one included
    std::string cpus;    // that these ranks may run on: "0-3,8"
    BindingLevel level = BindingLevel::node;
    // The parts of the node that hold all of these CPUs; "" = none does, or it is not known.
    std::string core_cpus, cache_cpus, numa_cpus, socket_cpus;
    uint64_t ranks = 0;
    std::string rank_list;  // on `host`: "0-3,8"
};

}  // namespace mprof
