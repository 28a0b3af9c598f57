// Large messages are a matter of bandwidth, which ranks that communicate at the same time share; an
// idle pair's baseline does not know that. So what the program's calls typically take (the fastest
// callsites' mean) counts as cost up to `contention` times the best case. Beyond that it would hide
// partners that are always late. Where only one side of a message is late, the other side's calls
// are short and show the true cost, whatever the network does.
#include "waits/transfer_cost.h"

#include "report/spread.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mprof {
namespace {

constexpr double contention = 4;
// Time beyond the best case that is chance. Short calls may take a fixed time more, because a
// disturbance costs as much as they do. Longer calls may take a share more.
constexpr double short_call_s = 20e-6;
constexpr double chance = 0.25;
constexpr double low_quantile = 0.1;
constexpr double slow_byte_s = 1e-9;  // a byte of a large message, where nothing tells
// A baseline whose median is further from its best than this was disturbed, and tells no spread.
constexpr double widest_spread = 2;
// How much faster than in proportion to its size a message's cost may grow: beyond the caches a
// byte costs about twice as much.
constexpr double steepest = 2;

double ratio(uint64_t a, uint64_t b)
{
    return static_cast<double>(std::max<uint64_t>(a, 1)) /
           static_cast<double>(std::max<uint64_t>(b, 1));
}

// Shortest and mean durations of the calls of one size, one of each rank and callsite.
struct Durations {
    std::vector<double> shortest, mean;
};

}  // namespace

double noise_seconds(double best_s)
{
    return best_s <= short_call_s ? best_s : std::max(short_call_s, chance * best_s);
}

CallSide side_of(const FunctionFacts &rules)
{
    return rules.sends && !rules.receives ? CallSide::send : CallSide::receive;
}

void CostCurve::add(uint64_t bytes, double seconds)
{
    const auto [at, is_new] = points_.try_emplace(bytes, seconds);
    if (!is_new)
        at->second = std::min(at->second, seconds);
}

void CostCurve::close()
{
    const std::pair<const uint64_t, double> *smaller = nullptr;
    for (auto &point : points_) {
        if (smaller != nullptr)
            point.second = std::min(point.second, steepest * smaller->second *
                                                      ratio(point.first, smaller->first));
        smaller = &point;
    }
    double least = HUGE_VAL;
    for (auto at = points_.rbegin(); at != points_.rend(); ++at) {
        least = std::min(least, at->second);
        at->second = least;
    }
}

double CostCurve::between(uint64_t bytes) const
{
    const auto above = points_.lower_bound(bytes);
    if (above == points_.end())
        return at_most(bytes);
    if (above == points_.begin() || above->first == bytes)
        return above->second;
    const auto below = std::prev(above);
    if (below->second <= 0)
        return above->second;
    const double part =
        std::log(ratio(bytes, below->first)) / std::log(ratio(above->first, below->first));
    return below->second * std::pow(above->second / below->second, part);
}

double CostCurve::at_most(uint64_t bytes) const
{
    const auto above = points_.lower_bound(bytes);
    if (above != points_.end())
        return above->second;
    // Only large messages tell what a byte costs; small ones are nearly all latency.
    const auto &[last_bytes, last_s] = *points_.rbegin();
    const double per_byte_s = last_bytes >= verdict_thresholds.large_message_bytes
                                  ? last_s / static_cast<double>(last_bytes)
                                  : slow_byte_s;
    return last_s + static_cast<double>(bytes - last_bytes) * per_byte_s;
}

TransferCost::TransferCost(const std::vector<RankMeasure> &ranks, const MessageSites &sites,
                           FactsByNumber &rules)
{
    add_baselines(ranks);
    add_calls(ranks, sites, rules);
    for (OfLocality &node : nodes_) {
        node.best.close();
        node.median.close();
        for (CostCurve &curve : node.shortest)
            curve.close();
        for (CostCurve &curve : node.typical)
            curve.close();
    }
}

void TransferCost::add_baselines(const std::vector<RankMeasure> &ranks)
{
    std::map<uint32_t, std::string> hosts;
    for (const RankMeasure &rank : ranks)
        hosts.emplace(rank.rank(), rank.file->text("host"));
    for (const RankMeasure &rank : ranks)
        for (const mprof_baseline &row : rank.file->baselines) {
            const auto partner = hosts.find(row.partner);
            if (partner == hosts.end() || row.repeats == 0)
                continue;
            const bool other_node = partner->second != hosts[rank.rank()];
            OfLocality &node = nodes_[other_node ? 1 : 0];
            const double per_tick = rank.clock.seconds_per_tick();
            node.best.add(row.bytes, static_cast<double>(row.best_ticks) * per_tick);
            node.median.add(row.bytes, static_cast<double>(row.median_ticks) * per_tick);
        }
}

void TransferCost::add_calls(const std::vector<RankMeasure> &ranks, const MessageSites &sites,
                             FactsByNumber &rules)
{
    std::map<std::tuple<bool, CallSide, uint64_t>, Durations> sizes;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const MeasuredEntry &entry : ranks[r].entries) {
            if (entry.key.kind != MPROF_KIND_CALL || entry.calls == 0 || entry.key.size == 0 ||
                entry.key.precision != MPROF_PRECISION_EXACT)
                continue;
            const FunctionFacts &rule = rules.of(r, entry.key.function);
            if (rule.call != WaitRule::message)
                continue;
            const bool other_node = sites.other_node(r, entry.key.callsite) > 0.5;
            Durations &durations = sizes[{other_node, side_of(rule), entry.key.size}];
            durations.shortest.push_back(entry.min_s);
            durations.mean.push_back(entry.time_s / static_cast<double>(entry.calls));
        }
    for (auto &[key, durations] : sizes) {
        const auto &[other_node, side, bytes] = key;
        OfLocality &node = nodes_[other_node ? 1 : 0];
        node.shortest[static_cast<size_t>(side)].add(bytes,
                                                     quantile(durations.shortest, low_quantile));
        node.typical[static_cast<size_t>(side)].add(bytes, quantile(durations.mean, low_quantile));
    }
}

// A small message can be sent before anybody receives it, so short sends say nothing of what
// receiving it costs; of a large one both sides see the same.
std::optional<double> TransferCost::seconds_on(const OfLocality &node, CallSide side,
                                               uint64_t bytes)
{
    const bool large = bytes >= verdict_thresholds.large_message_bytes;
    double least = node.best.empty() ? HUGE_VAL : node.best.between(bytes);
    double typical = HUGE_VAL;
    for (const CallSide of : {CallSide::send, CallSide::receive}) {
        const auto i = static_cast<size_t>(of);
        if (node.shortest[i].empty() ||
            (!large && side == CallSide::receive && of == CallSide::send))
            continue;
        least = std::min(least, node.shortest[i].at_most(bytes));
        typical = std::min(typical, node.typical[i].at_most(bytes));
    }
    if (least == HUGE_VAL)
        return std::nullopt;
    return large && typical < HUGE_VAL ? std::clamp(typical, least, contention * least) : least;
}

std::optional<double> TransferCost::seconds(CallSide side, uint64_t bytes, double other_node) const
{
    const auto inside = seconds_on(nodes_[0], side, bytes);
    const auto outside = seconds_on(nodes_[1], side, bytes);
    if (inside && outside)
        return *inside * (1 - other_node) + *outside * other_node;
    // The estimate is rather too high than too low, because a higher cost leaves less to be called
    // waiting.
    return outside || other_node > 0.5 ? outside : inside;
}

double TransferCost::noise(CallSide side, uint64_t bytes, double other_node) const
{
    const OfLocality &node = nodes_[other_node > 0.5 ? 1 : 0];
    const double cost_s = seconds(side, bytes, other_node).value_or(0);
    const double cost = noise_seconds(cost_s);
    if (node.best.empty())
        return cost;
    const double best = node.best.between(bytes);
    // The run itself moved as many bytes in far less: the baseline was disturbed.
    if (bytes >= verdict_thresholds.large_message_bytes && contention * cost_s < best)
        return cost;
    const double spread = node.median.between(bytes) - best;
    return std::max({cost, noise_seconds(best), spread < widest_spread * best ? spread : 0});
}

std::optional<double> TransferCost::tree_seconds(uint64_t bytes, uint32_t ranks,
                                                 bool one_node) const
{
    const auto message = seconds(CallSide::receive, bytes, one_node ? 0 : 1);
    if (!message)
        return std::nullopt;
    const auto steps = static_cast<uint32_t>(std::bit_width(ranks - 1U));
    return *message * std::max(1U, steps);
}

// Small messages: what receiving one took on average at the best place; large ones: the shortest.
double TransferCost::possible_in_run(const OfLocality &node, uint64_t bytes)
{
    const bool large = bytes >= verdict_thresholds.large_message_bytes;
    double best = HUGE_VAL;
    for (const CallSide side : {CallSide::send, CallSide::receive}) {
        const auto i = static_cast<size_t>(side);
        if (node.shortest[i].empty() || (!large && side == CallSide::send))
            continue;
        best = std::min(best, (large ? node.shortest[i] : node.typical[i]).at_most(bytes));
    }
    return best;
}

std::optional<double> TransferCost::possible(uint64_t bytes, bool other_node) const
{
    const OfLocality &node = nodes_[other_node ? 1 : 0];
    double best = possible_in_run(node, bytes);
    if (!node.best.empty())
        best = std::min(best, node.best.between(bytes));
    return best < HUGE_VAL ? std::optional(best) : std::nullopt;
}

std::vector<MessageCost> TransferCost::rows() const
{
    std::vector<MessageCost> rows;
    for (const Locality locality : {Locality::same_node, Locality::other_node}) {
        const OfLocality &node = nodes_[locality == Locality::other_node ? 1 : 0];
        for (const auto &[bytes, best_s] : node.best.points())
            rows.push_back(
                {locality, bytes, best_s, node.median.between(bytes), CostSource::baseline});
        std::map<int, uint64_t> sizes;
        for (const CostCurve &curve : node.shortest)
            for (const auto &[bytes, seconds] : curve.points()) {
                uint64_t &largest = sizes[static_cast<int>(std::bit_width(bytes))];
                largest = std::max(largest, bytes);
            }
        for (const auto &[power, bytes] : sizes) {
            const double best_s = possible_in_run(node, bytes);
            const auto typical_s = seconds_on(node, CallSide::receive, bytes);
            if (best_s < HUGE_VAL && typical_s)
                rows.push_back(
                    {locality, bytes, best_s, std::max(best_s, *typical_s), CostSource::best_case});
        }
    }
    return rows;
}

bool TransferCost::is_from_baseline(uint64_t bytes, bool other_node) const
{
    const OfLocality &node = nodes_[other_node ? 1 : 0];
    return !node.best.empty() && node.best.between(bytes) <= possible_in_run(node, bytes);
}

}  // namespace mprof
