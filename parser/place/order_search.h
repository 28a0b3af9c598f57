// Looks for an order that keeps ranks near that talk much with each other.
#pragma once

#include "place/comm_graph.h"
#include "place/machine.h"

#include <vector>

namespace mprof {

// One level of the machine after the other: ranks to nodes, those of a node to its sockets, those
// of a socket to its caches. `starts` are orders to begin with, too. As many ranks as places.
Order search_order(const CommGraph &graph, const Machine &machine,
                   const std::vector<Order> &starts);

}  // namespace mprof
