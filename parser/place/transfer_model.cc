// The machine that a run has recorded, and the times of messages on it (transfer_model.h).
//
// The recorded machine has one place per rank. A rank that may run on CPUs of several sockets has
// a node and nothing else. Numbers of cores count all cores of a node, also those that no rank
// had, as far as the lists of the sockets tell them.
#include "place/transfer_model.h"

#include "report/derived_figures.h"
#include "report/spread.h"

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

// Two readings of the run's times. In the first all time in messages may be transfer, up to what
// one card per node explains. In the second only what was not called waiting is: where ranks wait
// for a card that others use, that is too little. Together they give the uncertainty.

// What a rank sends and receives.
struct TransferModel::RankLoad {
    std::array<double, distance_count> out{}, in{}, out_messages{}, in_messages{};

    double larger(size_t distance) const { return std::max(out[distance], in[distance]); }
    double messages(size_t distance) const
    {
        return std::max(out_messages[distance], in_messages[distance]);
    }
};

namespace {

constexpr auto far = static_cast<size_t>(Distance::other_node);
// A baseline tells what a byte costs if it has messages that are not much smaller.
constexpr double much_smaller = 8;
constexpr double patient_quantile = 0.25;
constexpr uint64_t latency_size = 1024;

double total(const std::array<double, distance_count> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// Of those of one source, by size; at least one.
CostLine line_through(const std::vector<MessageCost> &points, double bytes)
{
    CostLine line;
    line.source = points.front().source;
    line.latency_s = points.front().best_s;
    const MessageCost *at = &points.back();
    for (const MessageCost &point : points)
        if (static_cast<double>(point.bytes) >= bytes) {
            at = &point;
            break;
        }
    if (at->bytes <= latency_size && at != &points.back())
        at = &points.back();
    line.byte_s = std::max(0.0, at->best_s - line.latency_s) / static_cast<double>(at->bytes);
    line.spread = at->best_s > 0 ? at->typical_s / at->best_s - 1 : 0;
    if (points.front().bytes > latency_size) {  // nearly all of it is the cost of its bytes
        line.byte_s = at->best_s / static_cast<double>(at->bytes);
        line.latency_s = 0;
    }
    return line;
}

double mean_message(const Report &report)
{
    double bytes = 0, messages = 0;
    for (const MatrixCell &cell : report.matrix) {
        bytes += static_cast<double>(cell.bytes);
        messages += static_cast<double>(cell.messages);
    }
    return messages > 0 ? bytes / messages : 0;
}

}  // namespace

double OrderFigures::all_bytes() const
{
    return total(bytes);
}

std::optional<double> OrderFigures::slowest_s() const
{
    return seconds ? std::optional(total(*seconds)) : std::nullopt;
}

TransferModel::TransferModel(const Report &report, const Machine &machine, const Order &present)
    : report_(report)
{
    read_lines();
    read_times(machine, present);
}

void TransferModel::read_lines()
{
    const double mean = mean_message(report_);
    for (const Locality locality : {Locality::same_node, Locality::other_node}) {
        std::array<std::vector<MessageCost>, 2> points;  // baseline, best case
        for (const MessageCost &cost : report_.message_costs)
            if (cost.locality == locality && cost.bytes > 0)
                points[cost.source == CostSource::baseline ? 0 : 1].push_back(cost);
        const bool baseline_tells =
            !points[0].empty() &&
            (points[1].empty() ||
             static_cast<double>(points[0].back().bytes) * much_smaller >= mean);
        const auto &chosen = points[baseline_tells ? 0 : 1];
        if (!chosen.empty())
            lines_[locality == Locality::other_node ? 1 : 0] = line_through(chosen, mean);
    }
}

std::vector<TransferModel::RankLoad>
TransferModel::loads(const Machine &machine, const Order &order,
                     std::array<double, distance_count> *bytes) const
{
    std::vector<RankLoad> loads(order.size());
    for (const MatrixCell &cell : report_.matrix) {
        if (cell.source >= order.size() || cell.destination >= order.size() ||
            cell.source == cell.destination)
            continue;
        const auto distance = static_cast<size_t>(distance_between(
            machine.places[order[cell.source]], machine.places[order[cell.destination]]));
        const auto size = static_cast<double>(cell.bytes);
        const auto messages = static_cast<double>(cell.messages);
        loads[cell.source].out[distance] += size;
        loads[cell.source].out_messages[distance] += messages;
        loads[cell.destination].in[distance] += size;
        loads[cell.destination].in_messages[distance] += messages;
        if (bytes != nullptr)
            (*bytes)[distance] += size;
    }
    return loads;
}

std::vector<double> TransferModel::card_bytes(const Machine &machine, const Order &order,
                                              const std::vector<RankLoad> &loads) const
{
    std::vector<double> out(machine.hosts.size()), in(machine.hosts.size());
    for (size_t r = 0; r < order.size(); r++) {
        out[machine.places[order[r]].node] += loads[r].out[far];
        in[machine.places[order[r]].node] += loads[r].in[far];
    }
    for (size_t node = 0; node < out.size(); node++)
        out[node] = std::max(out[node], in[node]);
    return out;
}

std::array<double, distance_count> TransferModel::slowest(const Machine &machine,
                                                          const Order &order,
                                                          const std::vector<RankLoad> &loads,
                                                          const std::vector<double> &cards,
                                                          const Reading &reading) const
{
    std::array<double, distance_count> most{};
    for (size_t r = 0; r < order.size(); r++) {
        std::array<double, distance_count> times{};
        for (size_t d = 0; d < distance_count; d++) {
            const auto &line = lines_[d == far ? 1 : 0];
            if (!line || loads[r].messages(d) <= 0)
                continue;
            double bytes = loads[r].larger(d);
            if (d == far)
                bytes += reading.card_share * (cards[machine.places[order[r]].node] - bytes);
            times[d] =
                reading.scale * (bytes * line->byte_s + loads[r].messages(d) * line->latency_s);
        }
        if (total(times) > total(most))
            most = times;
    }
    return most;
}

TransferModel::Reading TransferModel::reading_of(double own_s, double card_s,
                                                 double observed_s) const
{
    if (observed_s >= card_s)
        return {1, card_s > 0 ? observed_s / card_s : 1};
    if (observed_s <= own_s)
        return {0, own_s > 0 ? observed_s / own_s : 1};
    return {(observed_s - own_s) / (card_s - own_s), 1};
}

void TransferModel::read_times(const Machine &machine, const Order &present)
{
    const std::vector<RankLoad> all = loads(machine, present, nullptr);
    const std::vector<double> cards = card_bytes(machine, present, all);
    const double own_s = total(slowest(machine, present, all, cards, {0, 1}));
    const double card_s = total(slowest(machine, present, all, cards, {1, 1}));
    double most_bytes = 0;
    for (const RankLoad &load : all)
        most_bytes = std::max(most_bytes, total(load.out) + total(load.in));
    std::vector<double> busy_s;
    double moved_s = 0;  // and not waited, of the rank that has most
    for (size_t r = 0; r < all.size(); r++) {
        const RankRow &row = report_.ranks[r];
        if (!row.message_s || total(all[r].out) + total(all[r].in) < most_bytes / 2)
            continue;
        busy_s.push_back(*row.message_s);
        moved_s = std::max(moved_s, *row.message_s - row.message_wait_s.value_or(0));
    }
    if (busy_s.empty())
        return;
    // A rank that is late itself waits least: what it spends is transfer.
    const double most_s = std::max(moved_s, quantile(busy_s, patient_quantile));
    likely_ = reading_of(own_s, card_s, std::clamp(card_s, moved_s, most_s));
    other_ = reading_of(own_s, card_s, moved_s);
    if (own_s >= card_s) {  // no two ranks of the run shared a card: it tells nothing of that
        likely_.card_share = 1;
        other_.card_share = 0;
    }
}

OrderFigures TransferModel::figures(const Machine &machine, const Order &order) const
{
    OrderFigures figures;
    const std::vector<RankLoad> all = loads(machine, order, &figures.bytes);
    const std::vector<double> cards = card_bytes(machine, order, all);
    figures.busiest_node_bytes = cards.empty() ? 0 : *std::max_element(cards.begin(), cards.end());
    const bool is_inside = figures.all_bytes() > figures.between_nodes();
    if ((figures.between_nodes() > 0 && !lines_[1]) || (is_inside && !lines_[0]))
        return figures;
    figures.seconds = slowest(machine, order, all, cards, likely_);
    figures.other_s = total(slowest(machine, order, all, cards, other_));
    return figures;
}

double TransferModel::latency_bytes() const
{
    const auto &line = lines_[1] ? lines_[1] : lines_[0];
    return line && line->byte_s > 0 ? line->latency_s / line->byte_s : 0;
}

}  // namespace mprof
