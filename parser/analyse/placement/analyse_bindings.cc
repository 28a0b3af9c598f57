// Where ranks sit in their nodes, as lstopo would draw it for each node with all bindings.
//
// A rank knows the CPUs that it may run on, and the core, cache, NUMA node and socket of the CPU
// that it was on. Such a part counts only if it holds all CPUs that the rank may run on: else the
// rank could as well have been in another one. Most nodes of a job are alike, so each kind is
// listed once.
#include "analyse/analysis_parts.h"
#include "measure/cpu_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

namespace mprof {
namespace {

constexpr size_t most_kinds = 64;  // of nodes

std::string list_text(const std::vector<uint32_t> &numbers)
{
    std::string text;
    for (size_t i = 0; i < numbers.size();) {
        size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
            end++;
        text += text.empty() ? "" : ",";
        text += end - i == 1 ? fmt::format("{}", numbers[i])
                             : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
        i = end;
    }
    return text;
}

// The part if it holds the CPUs of the rank, else "".
std::string holding(const CpuSet &allowed, const std::string &part)
{
    return is_inside(allowed, parse_cpus(part)) ? part : "";
}

BindingRow row_of(const RankRow &rank)
{
    const CpuSet allowed = parse_cpus(rank.cpu_list);
    BindingRow row;
    row.cpus = rank.cpu_list;
    row.core_cpus = holding(allowed, rank.core_cpus);
    row.cache_cpus = holding(allowed, rank.cache_cpus);
    row.numa_cpus = holding(allowed, rank.numa_cpus);
    row.socket_cpus = holding(allowed, rank.socket_cpus);
    const std::pair<BindingLevel, const std::string &> parts[] = {
        {BindingLevel::core, row.core_cpus},
        {BindingLevel::cache, row.cache_cpus},
        {BindingLevel::numa, row.numa_cpus},
        {BindingLevel::socket, row.socket_cpus}};
    for (const auto &[level, cpus] : parts)
        if (!cpus.empty() && row.level == BindingLevel::node)
            row.level = level;
    return row;
}

// Where each rank sits. Of many ranks few differ.
class Seats {
public:
    const BindingRow &of(const RankRow &rank)
    {
        std::string key = rank.cpu_list;
        for (const std::string *cpus :
             {&rank.core_cpus, &rank.cache_cpus, &rank.numa_cpus, &rank.socket_cpus})
            key.append(";").append(*cpus);
        const auto [at, is_new] = known_.try_emplace(std::move(key));
        if (is_new)
            at->second = row_of(rank);
        return at->second;
    }

private:
    std::unordered_map<std::string, BindingRow> known_;
};

struct BoundNode {
    std::string host;
    std::vector<std::pair<uint32_t, const BindingRow *>> ranks;  // by rank
    std::string kind;  // the same text on nodes that are alike
};

// By first rank.
std::vector<BoundNode> bound_nodes(const Report &report, Seats &seats)
{
    std::unordered_map<std::string, size_t> numbers;
    std::vector<BoundNode> nodes;
    for (const RankRow &rank : report.ranks) {
        const auto [at, is_new] = numbers.emplace(rank.host, nodes.size());
        if (is_new)
            nodes.emplace_back().host = rank.host;
        BoundNode &node = nodes[at->second];
        const BindingRow &seat = seats.of(rank);
        node.ranks.emplace_back(rank.rank, &seat);
        for (const std::string *cpus :
             {&seat.cpus, &seat.core_cpus, &seat.cache_cpus, &seat.numa_cpus, &seat.socket_cpus})
            node.kind.append(*cpus).append(";");
    }
    return nodes;
}

// By the first CPU, narrower sets first. Ranks with the same CPUs have the same parts.
std::vector<BindingRow> rows_of(const BoundNode &node)
{
    struct Bound {
        const BindingRow *seat;
        std::vector<uint32_t> ranks;
    };
    std::map<std::tuple<uint32_t, size_t, std::string>, Bound> in_order;
    for (const auto &[rank, seat] : node.ranks) {
        if (seat->cpus.empty())
            continue;
        const CpuSet cpus = parse_cpus(seat->cpus);
        auto &bound = in_order[{*cpus.begin(), cpus.size(), seat->cpus}];
        bound.seat = seat;
        bound.ranks.push_back(rank);
    }
    std::vector<BindingRow> rows;
    for (const auto &[place, bound] : in_order) {
        BindingRow &row = rows.emplace_back(*bound.seat);
        row.host = node.host;
        row.ranks = bound.ranks.size();
        row.rank_list = list_text(bound.ranks);
    }
    return rows;
}

}  // namespace

void analyse_bindings(Report &report)
{
    std::map<std::string, std::vector<const BoundNode *>> kinds;
    std::vector<const std::vector<const BoundNode *> *> in_order;
    Seats seats;
    const std::vector<BoundNode> nodes = bound_nodes(report, seats);
    for (const BoundNode &node : nodes) {
        auto &alike = kinds[node.kind];
        if (alike.empty())
            in_order.push_back(&alike);
        alike.push_back(&node);
    }
    for (size_t i = 0; i < std::min(most_kinds, in_order.size()); i++) {
        for (BindingRow &row : rows_of(*in_order[i]->front())) {
            row.nodes = in_order[i]->size();
            report.bindings.push_back(std::move(row));
        }
    }
}

}  // namespace mprof
