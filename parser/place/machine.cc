// The recorded machine has one place per rank. A rank that may run on CPUs of several sockets has a
// node and nothing else. Numbers of cores count all cores of a node, also those that no rank had,
// as far as the lists of the sockets tell them.
#include "place/machine.h"

#include "measure/cpu_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace mprof {
namespace {

// Sockets, caches or cores of all nodes, by node and list of CPUs.
class PartNumbers {
public:
    uint32_t number(uint32_t node, const std::string &cpus)
    {
        return numbers_.try_emplace({node, cpus}, static_cast<uint32_t>(numbers_.size()))
            .first->second;
    }

private:
    std::map<std::pair<uint32_t, std::string>, uint32_t> numbers_;
};

struct NodeFacts {
    uint64_t cores = 0, ranks = 0;
    std::map<uint32_t, CpuSet> sockets;  // by their first CPU; those that ranks were on
};

std::vector<CpuSet> bound_cpus(const Report &report)
{
    std::vector<CpuSet> all;
    std::map<std::string, CpuSet> known;
    for (const RankRow &row : report.ranks) {
        auto [at, is_new] = known.try_emplace(row.cpu_list);
        if (is_new)
            at->second = parse_cpus(row.cpu_list);
        all.push_back(at->second);
    }
    return all;
}

std::vector<NodeFacts> facts_of_nodes(const Report &report, const std::vector<Place> &places)
{
    std::vector<NodeFacts> facts(report.nodes.size());
    for (size_t i = 0; i < facts.size(); i++) {
        facts[i].ranks = report.nodes[i].ranks;
        for (const auto &[key, value] : report.nodes[i].facts)
            if (key == "cores")
                facts[i].cores = std::strtoull(value.c_str(), nullptr, 10);
    }
    std::map<std::string, CpuSet> known;
    for (size_t r = 0; r < places.size(); r++) {
        const std::string &list = report.ranks[r].socket_cpus;
        auto [at, is_new] = known.try_emplace(list);
        if (is_new)
            at->second = parse_cpus(list);
        if (!at->second.empty())
            facts[places[r].node].sockets.try_emplace(*at->second.begin(), at->second);
    }
    return facts;
}

// Launchers number cores socket by socket. Of two threads of a core the system numbers either
// neighbours, or the second threads of all cores behind the first ones.
std::string slot_of_core(const NodeFacts &facts, const CpuSet &core, const CpuSet &allowed)
{
    const auto threads = core.size();
    const bool adjacent = *core.rbegin() - *core.begin() + 1 == threads;
    size_t before = 0;
    for (const auto &[first, socket] : facts.sockets) {
        const size_t cores = socket.size() / threads;
        if (socket.count(*core.begin()) == 0) {
            before += cores;
            continue;
        }
        const auto index =
            static_cast<size_t>(std::distance(socket.begin(), socket.find(*core.begin())));
        const size_t number = before + (adjacent ? index / threads : index);
        const size_t count = std::max<size_t>(1, allowed.size() / threads);
        return count == 1 ? std::to_string(number)
                          : fmt::format("{}-{}", number, number + count - 1);
    }
    return "";
}

// Of a rank that is bound to no core: an equal share of the node's cores.
std::string equal_slot(const NodeFacts &facts, uint64_t index)
{
    if (facts.cores < facts.ranks || facts.ranks == 0)
        return std::to_string(facts.cores == 0 ? index : index % facts.cores);
    const uint64_t share = facts.cores / facts.ranks;
    return share == 1 ? std::to_string(index)
                      : fmt::format("{}-{}", index * share, (index + 1) * share - 1);
}

std::tuple<uint32_t, uint32_t, uint32_t, uint32_t> position(const Place &place)
{
    return {place.node, place.socket, place.cache, place.core};
}

void set_parts(const Report &report, const std::vector<CpuSet> &bound, std::vector<Place> &places)
{
    PartNumbers sockets, caches, cores;
    for (size_t r = 0; r < places.size(); r++) {
        const RankRow &row = report.ranks[r];
        Place &place = places[r];
        const std::string &socket = row.socket_cpus.empty() ? row.numa_cpus : row.socket_cpus;
        if (!is_inside(bound[r], parse_cpus(socket)))
            continue;
        place.socket = sockets.number(place.node, socket);
        if (!is_inside(bound[r], parse_cpus(row.cache_cpus)))
            continue;
        place.cache = caches.number(place.node, row.cache_cpus);
        if (is_inside(bound[r], parse_cpus(row.core_cpus)))
            place.core = cores.number(place.node, row.core_cpus);
    }
}

void set_slots(const Report &report, const std::vector<CpuSet> &bound, std::vector<Place> &places)
{
    const std::vector<NodeFacts> facts = facts_of_nodes(report, places);
    std::vector<uint64_t> index(facts.size());
    for (size_t r = 0; r < places.size(); r++) {
        const NodeFacts &node = facts[places[r].node];
        const CpuSet core = parse_cpus(report.ranks[r].core_cpus);
        if (places[r].socket != unknown_part && !core.empty() && core.count(*bound[r].begin()) > 0)
            places[r].slot = slot_of_core(node, core, bound[r]);
        if (places[r].slot.empty())
            places[r].slot = equal_slot(node, index[places[r].node]);
        index[places[r].node]++;
    }
}

}  // namespace

std::vector<uint32_t> Machine::ranks_per_node() const
{
    std::vector<uint32_t> counts(hosts.size());
    for (const Place &place : places)
        counts[place.node]++;
    return counts;
}

bool Machine::knows_sockets() const
{
    return std::any_of(places.begin(), places.end(),
                       [](const Place &place) { return place.socket != unknown_part; });
}

bool Machine::has_equal_nodes() const
{
    const std::vector<uint32_t> counts = ranks_per_node();
    return std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) == counts.end();
}

Distance distance_between(const Place &a, const Place &b)
{
    if (a.node != b.node)
        return Distance::other_node;
    if (a.socket == unknown_part || b.socket == unknown_part)
        return Distance::same_node;
    if (a.socket != b.socket)
        return Distance::other_socket;
    return a.cache != unknown_part && a.cache == b.cache ? Distance::same_cache
                                                         : Distance::same_socket;
}

Machine recorded_machine(const Report &report, Order &present)
{
    Machine machine;
    machine.is_of_run = true;
    machine.source = "where the ranks of the run were";
    std::map<std::string, uint32_t> numbers;
    for (const NodeRow &node : report.nodes) {
        numbers.emplace(node.host, static_cast<uint32_t>(machine.hosts.size()));
        machine.hosts.push_back(node.host);
    }
    std::vector<Place> of_rank(report.ranks.size());
    for (size_t r = 0; r < of_rank.size(); r++)
        of_rank[r].node = numbers[report.ranks[r].host];
    const std::vector<CpuSet> bound = bound_cpus(report);
    set_parts(report, bound, of_rank);
    set_slots(report, bound, of_rank);
    std::vector<uint32_t> ranks(of_rank.size());
    std::iota(ranks.begin(), ranks.end(), 0U);
    std::stable_sort(ranks.begin(), ranks.end(), [&](uint32_t a, uint32_t b) {
        return position(of_rank[a]) < position(of_rank[b]);
    });
    present.resize(ranks.size());
    for (const uint32_t rank : ranks) {
        present[rank] = static_cast<uint32_t>(machine.places.size());
        machine.places.push_back(of_rank[rank]);
    }
    return machine;
}

Order in_sequence(const Machine &machine)
{
    Order order(machine.places.size());
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

}  // namespace mprof
