// Where ranks can run: places, each for one rank, on nodes. Of a place more may be known: socket,
// cache and core. For all of place/.
//
// What holds: places are sorted by node, then socket, cache and core. Numbers of sockets, caches
// and cores are unique in the machine.
#pragma once

#include "report/report.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

inline constexpr uint32_t unknown_part = UINT32_MAX;

struct Place {
    uint32_t node = 0;
    uint32_t socket = unknown_part, cache = unknown_part, core = unknown_part;
    std::string slot;  // cores of the node, numbered from 0 as launchers do: "3", "4-7"
};

struct Machine {
    std::vector<std::string> hosts;  // by node
    std::vector<Place> places;
    std::string source;      // in words
    bool is_of_run = false;  // hosts and places are those of the profile

    std::vector<uint32_t> ranks_per_node() const;
    bool knows_sockets() const;
    bool has_equal_nodes() const;
};

// The place of each rank.
using Order = std::vector<uint32_t>;

// How far apart two places are. `same_node`: no more is known.
enum class Distance { same_cache, same_socket, other_socket, same_node, other_node };
template <>
inline constexpr std::array texts_of<Distance> = {"same cache", "same socket", "other socket",
                                                  "same node", "other node"};
inline constexpr size_t distance_count = texts_of<Distance>.size();

Distance distance_between(const Place &a, const Place &b);

// The nodes and the places that the ranks of the run had; `present` says who had which. All ranks
// are in the report.
Machine recorded_machine(const Report &report, Order &present);

// A machine's places in the order in which a launcher fills it: rank r at place r.
Order in_sequence(const Machine &machine);

}  // namespace mprof
