// Looks for an order that keeps ranks near that talk much with each other: the graph of who talks
// with whom, its division into groups, and the search level by level.
#pragma once

#include "place/transfer_model.h"
#include "report/report.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace mprof {

// Who talks with whom, in both directions together: a sparse graph with a row per rank. For the
// search of an order.
struct CommGraph {
    std::vector<size_t> first{0};   // of each row, and the end of the last
    std::vector<uint32_t> partner;  // ascending in a row; never the row itself
    std::vector<double> weight;     // of the same edge; both rows have it

    uint32_t size() const { return static_cast<uint32_t>(first.size() - 1); }
};

// `weight_of`: how much it matters that the two ranks of a cell are near. Cells of ranks from
// `ranks` on, and of a rank with itself, are left out.
CommGraph comm_graph(const std::vector<MatrixCell> &cells, uint32_t ranks,
                     const std::function<double(const MatrixCell &)> &weight_of);

// The part between these rows, which are ascending, numbered anew. `numbers` is scratch: as many as
// rows in all, unknown_row before and after.
inline constexpr uint32_t unknown_row = UINT32_MAX;
CommGraph part_of(const CommGraph &graph, const std::vector<uint32_t> &rows,
                  std::vector<uint32_t> &numbers);

// Divides ranks into groups so that little goes between the groups. For the search of an order.

// The group of each rank. `room`: how many ranks a group has; their sum is the number of ranks.
using Groups = std::vector<uint32_t>;

// False if mprof was built without what divides (Scotch).
bool can_divide();

// Groups that may have a few ranks more or less than `room` says. Other `seed`, other groups.
Groups divide_roughly(const CommGraph &graph, const std::vector<uint32_t> &room, uint32_t seed);

// Moves ranks out of groups that have too many, those that lose least.
void keep_room(const CommGraph &graph, const std::vector<uint32_t> &room, Groups &groups);

// Swaps pairs of ranks as long as that helps.
void swap_pairs(const CommGraph &graph, size_t group_count, Groups &groups);

// What goes between groups.
double weight_between(const CommGraph &graph, const Groups &groups);

// The best of several tries, also of what `starts` become by swapping pairs. Exactly `room`.
Groups divide(const CommGraph &graph, const std::vector<uint32_t> &room,
              const std::vector<Groups> &starts);

// One level of the machine after the other: ranks to nodes, those of a node to its sockets, those
// of a socket to its caches. `starts` are more orders to begin with. As many ranks as places.
Order search_order(const CommGraph &graph, const Machine &machine,
                   const std::vector<Order> &starts);

}  // namespace mprof
