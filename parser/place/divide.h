// Divides ranks into groups so that little goes between the groups. For the search of an order.
#pragma once

#include "place/comm_graph.h"

#include <cstdint>
#include <vector>

namespace mprof {

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

}  // namespace mprof
