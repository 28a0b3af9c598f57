// Ranks fill the nodes in the order in which they are named, as launchers do. On a node with more
// cores than ranks each rank has an equal share of neighbouring cores.
#include "place/other_machine.h"

#include "report/number_text.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace mprof {
namespace {

constexpr uint32_t most_nodes = 1U << 20U;

// A node that has room, and how many of its slots are used.
struct NodeRoom {
    std::string host;
    uint64_t slots = 0;
};

std::string too_small(uint64_t slots, uint64_t ranks)
{
    return fmt::format("the machine has room for {}, the run has {}", plural(slots, "rank"), ranks);
}

std::vector<NodeRoom> rooms_of(const Report &report, const std::vector<HostSlots> *hosts,
                               const NodeTopology *topology)
{
    std::vector<NodeRoom> rooms;
    if (hosts != nullptr) {
        for (const HostSlots &host : *hosts)
            rooms.push_back({host.host, host.slots});
        return rooms;
    }
    const bool other_nodes =
        topology != nullptr && topology->nodes > 0 && topology->nodes != report.nodes.size();
    if (!other_nodes) {
        for (const NodeRow &node : report.nodes)
            rooms.push_back({node.host, node.ranks});
        return rooms;
    }
    for (uint32_t i = 0; i < topology->nodes; i++)
        rooms.push_back({fmt::format("node{}", i), topology->cores.size()});
    return rooms;
}

std::string slot_words(size_t first, size_t last)
{
    return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

// Rank `index` of `ranks` on a node.
void set_cores(const NodeTopology &topology, uint64_t index, uint64_t ranks, uint32_t number,
               Place &place)
{
    const std::vector<NodeCore> &cores = topology.cores;
    const size_t share = cores.size() / ranks;
    const size_t first = index * share, last = first + share - 1;
    const auto base = static_cast<uint32_t>(place.node * cores.size());
    place.slot = slot_words(first, last);
    if (cores[first].socket != cores[last].socket)
        return;
    place.socket = base + cores[first].socket;
    if (cores[first].cache == cores[last].cache)
        place.cache = base + cores[first].cache;
    place.core = number;
}

}  // namespace

std::variant<NodeTopology, std::string> read_topology(const std::string &words)
{
    NodeTopology topology;
    std::string inside = words;
    const bool is_file = std::filesystem::exists(words) || words.ends_with(".xml");
    constexpr std::string_view nodes_word = "node:";
    if (!is_file && words.starts_with(nodes_word)) {
        const char *end = words.data() + words.size();
        const auto [at, error] =
            std::from_chars(words.data() + nodes_word.size(), end, topology.nodes);
        if (error != std::errc() || topology.nodes == 0 || topology.nodes > most_nodes ||
            (at != end && *at != ' '))
            return fmt::format("--topology \"{}\": expected \"node:4 core:2\" or the like", words);
        inside = std::string(at, end);
        inside.erase(0, inside.find_first_not_of(' '));
    }
    if (inside.empty())
        return fmt::format(
            "--topology \"{}\": expected cores after the nodes, as \"node:4 core:2\"", words);
    auto cores = cores_of_node(inside, is_file);
    if (const auto *reason = std::get_if<std::string>(&cores))
        return fmt::format("--topology \"{}\": {}", words, *reason);
    topology.cores = std::move(std::get<std::vector<NodeCore>>(cores));
    return topology;
}

std::variant<Machine, std::string> other_machine(const Report &report,
                                                 const std::vector<HostSlots> *hosts,
                                                 const NodeTopology *topology)
{
    Machine machine;
    machine.source = hosts != nullptr ? "the nodes that --on names" : "what --topology says";
    uint64_t left = report.run.ranks;
    uint64_t slots = 0;
    for (const NodeRoom &room : rooms_of(report, hosts, topology)) {
        slots += room.slots;
        const uint64_t ranks = std::min(left, room.slots);
        if (ranks == 0)
            continue;
        if (topology != nullptr && topology->cores.size() < ranks)
            return fmt::format("{} has {}, and {} are to run there", room.host,
                               plural(topology->cores.size(), "core"), plural(ranks, "rank"));
        const auto node = static_cast<uint32_t>(machine.hosts.size());
        machine.hosts.push_back(room.host);
        for (uint64_t i = 0; i < ranks; i++) {
            Place place;
            place.node = node;
            place.slot = std::to_string(i);
            if (topology != nullptr)
                set_cores(*topology, i, ranks, static_cast<uint32_t>(machine.places.size()), place);
            machine.places.push_back(place);
        }
        left -= ranks;
    }
    if (left > 0)
        return too_small(slots, report.run.ranks);
    return machine;
}

}  // namespace mprof
