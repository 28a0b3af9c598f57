// Where ranks can run, and how long their messages take in an order of them. For all of place/.
//
// A machine is places, each for one rank, on nodes. Of a place more may be known: socket, cache
// and core. What holds: places are sorted by node, then socket, cache and core. Numbers of
// sockets, caches and cores are unique in the machine.
#pragma once

#include "report/report.h"

#include <array>
#include <cstdint>
#include <optional>
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

// Predicts how long the slowest rank's point-to-point messages take in an order of the ranks. For
// analyse_placing.cc; share/doc/howto/place.md says it in words.
//
// The run tells what a message costs: its latency and the time of a byte, inside a node and
// between nodes. The network card of a node is shared by its ranks. How much they hold each other
// up follows from how long the run's messages took: that is between "each rank has a card of its
// own" and "all bytes of a node go through one card, one after the other".

// What is true of an order.
struct OrderFigures {
    std::array<double, distance_count> bytes{};
    double busiest_node_bytes = 0;  // through its card, in one direction
    // Of the slowest rank, by distance; nothing if the run does not tell what a byte costs.
    std::optional<std::array<double, distance_count>> seconds;
    double other_s = 0;  // of the slowest rank, by the other reading of the run's times

    double all_bytes() const;
    double between_nodes() const { return bytes[static_cast<size_t>(Distance::other_node)]; }
    std::optional<double> slowest_s() const;
};

// The cost of messages at a distance, as a straight line.
struct CostLine {
    double latency_s = 0, byte_s = 0;
    double spread = 0;  // typical / best - 1
    CostSource source = CostSource::baseline;
};

class TransferModel {
public:
    TransferModel(const Report &report, const Machine &machine, const Order &present);

    OrderFigures figures(const Machine &machine, const Order &order) const;
    const std::optional<CostLine> &line(Distance distance) const
    {
        return lines_[distance == Distance::other_node ? 1 : 0];
    }
    // How much the ranks of a node hold each other up at its card: 0 not at all, 1 fully.
    double card_share() const { return likely_.card_share; }
    // Latency of a message between nodes in bytes that would take as long; 0 = not known.
    double latency_bytes() const;

private:
    struct Reading {
        double card_share = 1, scale = 1;
    };
    struct RankLoad;

    void read_lines();
    void read_times(const Machine &machine, const Order &present);
    std::vector<RankLoad> loads(const Machine &machine, const Order &order,
                                std::array<double, distance_count> *bytes) const;
    std::vector<double> card_bytes(const Machine &machine, const Order &order,
                                   const std::vector<RankLoad> &loads) const;
    std::array<double, distance_count> slowest(const Machine &machine, const Order &order,
                                               const std::vector<RankLoad> &loads,
                                               const std::vector<double> &cards,
                                               const Reading &reading) const;
    Reading reading_of(double own_s, double card_s, double observed_s) const;

    const Report &report_;
    std::array<std::optional<CostLine>, 2> lines_;  // same node, other node
    Reading likely_, other_;
};

}  // namespace mprof
