// A run beside what its machine can do: its calls and messages, the eager limits that its messages
// cross, and when the data of a message should be touched.
#include "machine/machine_figures.h"

#include "measure/function_facts.h"
#include "report/derived_figures.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "waits/transfer_cost.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mprof {

// Times of a run have waiting in them, those of the machine none. So the share of waiting is taken
// out, which is known per function and, for messages, per run. The figure of a size between two
// measured ones is on the line between them.

namespace {

constexpr size_t most_sentences = 5;

CostCurve cost_of(const MachineCurve &curve)
{
    CostCurve cost;
    for (const MachinePoint &point : curve.points)
        if (point.bytes > 0 && point.time_s > 0)
            cost.add(point.bytes, point.time_s);
    cost.close();
    return cost;
}

// The number of ranks of the machine's figures that is nearest to the run's; nothing if
// none is near.
std::optional<uint32_t> nearest_ranks(const MachineFigures &figures, uint32_t ranks)
{
    std::optional<uint32_t> nearest;
    const auto apart = [&](uint32_t count) {
        return count == 0 ? 0 : std::fabs(std::log(static_cast<double>(count) / ranks));
    };
    for (const CollectiveTime &row : figures.collectives)
        if (apart(row.ranks) <= std::log(verdict_thresholds.near_ranks_factor) + 1e-9 &&
            (!nearest || apart(row.ranks) < apart(*nearest)))
            nearest = row.ranks;
    return nearest;
}

std::optional<double> moving_share(const FunctionRow *function)
{
    if (function == nullptr || !function->wait_s || function->time_s <= 0)
        return std::nullopt;
    return std::clamp(1 - *function->wait_s / function->time_s, 0.0, 1.0);
}

void finish(MachineTimeRow &row, std::optional<double> moving, double mpi_s)
{
    if (moving)
        row.moving_s = row.here_s * *moving;
    const double own_s = row.moving_s.value_or(row.here_s);
    row.factor = own_s / row.machine_s;
    row.excess_s = std::max(0.0, own_s - row.machine_s) * static_cast<double>(row.calls);
    const bool counts =
        mpi_s > 0 && 100 * row.excess_s / mpi_s >= verdict_thresholds.machine_percent;
    if (counts && row.factor >= verdict_thresholds.slow_machine_factor)
        row.state = Judgement::problem;
    else if (counts && row.factor >= verdict_thresholds.machine_factor)
        row.state = Judgement::watch;
}

// What the machine does a collective in, by size.
struct CollectiveCost {
    CostCurve cost;
    std::optional<double> without_data_s;

    std::optional<double> seconds(uint64_t bytes) const
    {
        if (bytes == 0)
            return without_data_s;
        return cost.empty() ? std::nullopt : std::optional(cost.between(bytes));
    }
};

std::map<std::string, CollectiveCost> costs_among(const MachineFigures &figures, uint32_t ranks)
{
    std::map<std::string, CollectiveCost> costs;
    for (const CollectiveTime &row : figures.collectives) {
        if (row.ranks != ranks || row.time_s <= 0)
            continue;
        if (row.bytes == 0)
            costs[row.function].without_data_s = row.time_s;
        else
            costs[row.function].cost.add(row.bytes, row.time_s);
    }
    for (auto &[name, one] : costs)
        one.cost.close();
    return costs;
}

const FunctionRow *function_named(const Report &report, const std::string &name)
{
    const auto found =
        std::find_if(report.functions.begin(), report.functions.end(),
                     [&](const FunctionRow &function) { return function.function == name; });
    return found == report.functions.end() ? nullptr : &*found;
}

void add_collectives(const MachineFigures &figures, uint32_t ranks, Report &report)
{
    const auto costs = costs_among(figures, ranks);
    for (const MessageRow &message : report.messages) {
        const auto found = costs.find(message.function);
        if (found == costs.end() || message.kind != MessageKind::call || message.calls == 0 ||
            message.precision == Precision::function)
            continue;
        const auto machine_s = found->second.seconds(message.bytes);
        if (!machine_s)
            continue;
        MachineTimeRow row;
        row.what = message.function;
        row.bytes = message.bytes;
        row.calls = message.calls;
        row.ranks = ranks;
        row.here_s = message.time_s / static_cast<double>(message.calls);
        row.machine_s = *machine_s;
        finish(row, moving_share(function_named(report, message.function)), report.totals.mpi_s);
        report.machine_times.push_back(row);
    }
}

void compare_collectives(const MachineFigures &figures, Report &report)
{
    if (figures.collectives.empty())
        return;
    const auto ranks = nearest_ranks(figures, report.run.ranks);
    if (ranks)
        add_collectives(figures, *ranks, report);
    if (ranks == report.run.ranks)
        return;
    if (ranks == 0U) {
        report.machine.remarks.emplace_back(
            "It is not known among how many ranks the machine's collectives were measured.");
        return;
    }
    report.machine.remarks.push_back(
        fmt::format("The machine's collectives were measured with {}, the run has {}{}.",
                    plural(ranks.value_or(figures.collectives.front().ranks), "rank"),
                    report.run.ranks, ranks ? "" : ": they are not compared"));
}

void add_messages(const MachineFigures &figures, Report &report)
{
    const auto moving = moving_share_of_messages(report);
    for (const Locality locality : {Locality::same_node, Locality::other_node}) {
        const MachineCurve *curve = curve_for(figures, locality);
        const CostCurve cost = curve == nullptr ? CostCurve() : cost_of(*curve);
        bool has_rows = false;
        for (const TransferRow &transfer : report.transfers) {
            if (transfer.locality != locality || transfer.messages == 0)
                continue;
            has_rows = true;
            if (cost.empty())
                continue;
            MachineTimeRow row;
            row.what = "message";
            row.distance = text_of(locality);
            row.bytes = transfer.high_bytes;
            row.calls = transfer.messages;
            row.here_s = transfer.observed_s;
            row.machine_s = cost.between(transfer.high_bytes);
            finish(row, moving, report.totals.mpi_s);
            report.machine_times.push_back(row);
        }
        if (has_rows && cost.empty())
            report.machine.remarks.push_back(fmt::format(
                "The machine's figures have no messages to the {}.", text_of(locality)));
    }
}

// "MPI_Allreduce of 8 B takes 41.0 us among 64 ranks here; the machine does it in 9.1 us."
std::string sentence_of(const MachineTimeRow &row, uint32_t ranks)
{
    const std::string what =
        row.distance.empty()
            ? (row.bytes == 0 ? row.what : fmt::format("{} of {}", row.what, bytes_text(row.bytes)))
            : fmt::format("A message of up to {} to the {}", bytes_text(row.bytes), row.distance);
    const std::string among =
        row.distance.empty() ? fmt::format(" among {} ranks", ranks) : std::string();
    const bool waits =
        row.moving_s && row.here_s > verdict_thresholds.machine_factor * *row.moving_s;
    const std::string without =
        waits ? fmt::format(", {} of that without waiting", duration_text(*row.moving_s)) : "";
    return fmt::format("{} takes {}{} here{}; the machine can do it in {}.", what,
                       duration_text(row.here_s), among, without, duration_text(row.machine_s));
}

// The node whose memory gives each of its ranks least, beside what it gives one alone.
const MachineNode *crowded_memory(const MachineFigures &figures)
{
    const MachineNode *found = nullptr;
    double most = verdict_thresholds.slower_together;
    for (const MachineNode &node : figures.nodes)
        if (node.ranks > 1 && node.memory_together_bytes_s > 0 &&
            node.memory_alone_bytes_s >= most * node.memory_together_bytes_s) {
            most = node.memory_alone_bytes_s / node.memory_together_bytes_s;
            found = &node;
        }
    return found;
}

// A run that computes most of the time, with several ranks on a node and more memory than caches
// hold. Whether it is the memory that it computes with, no record of one run tells.
void add_memory_remark(const MachineFigures &figures, Report &report)
{
    const MachineNode *node = crowded_memory(figures);
    const auto least_bytes = static_cast<double>(verdict_thresholds.cached_bytes);
    const auto own_bytes = own_bytes_of(report);
    if (node == nullptr || report.run.ranks <= report.nodes.size() || !own_bytes ||
        *own_bytes < least_bytes ||
        report.totals.comm_percent > verdict_thresholds.memory_mpi_percent)
        return;
    report.machine.remarks.push_back(fmt::format(
        "Code that moves much data through memory probably takes {:.1f} times as long with {} on a "
        "node "
        "as "
        "alone: each of them gets {} at once, one alone {}. Whether this run's computing is such "
        "code, mprof scale with fewer ranks on a node or counters tell.",
        node->memory_alone_bytes_s / node->memory_together_bytes_s, plural(node->ranks, "rank"),
        bandwidth_text(node->memory_together_bytes_s), bandwidth_text(node->memory_alone_bytes_s)));
}

}  // namespace

const MachineCurve *curve_for(const MachineFigures &figures, Locality locality)
{
    if (locality == Locality::other_node)
        if (const MachineCurve *far = figures.curve(RankDistance::other_node))
            return far;
    const MachineCurve *inside = nullptr;  // near ones come first
    for (const MachineCurve &curve : figures.curves)
        if (curve.distance != RankDistance::other_node && curve.distance != RankDistance::unknown)
            inside = &curve;
    if (locality == Locality::same_node && inside != nullptr)
        return inside;
    return figures.curve(RankDistance::unknown);
}

void compare_with_machine(const MachineFigures &figures, const std::string &file, Report &report)
{
    report.machine.file = file;
    report.machine.mpi_library = figures.short_library();
    report.machine.made = figures.made;
    report.machine.ranks = figures.ranks;
    report.machine.nodes = figures.nodes.size();
    compare_collectives(figures, report);
    add_messages(figures, report);
    std::stable_sort(report.machine_times.begin(), report.machine_times.end(),
                     [](const auto &a, const auto &b) { return a.excess_s > b.excess_s; });
    add_memory_remark(figures, report);
    report.eager_limits = find_eager_limits(figures, report);
    report.touch_rules = find_touch_rules(figures, report);
    for (const MachineTimeRow &row : report.machine_times)
        if (row.state != Judgement::good && report.machine.sentences.size() < most_sentences)
            report.machine.sentences.push_back(sentence_of(row, report.run.ranks));
    if (report.machine.sentences.empty() && !report.machine_times.empty())
        report.machine.sentences.emplace_back(
            "Nothing takes much longer than the machine needs for it.");
    for (const std::string &finding : figures.findings)
        report.machine.remarks.push_back(finding);
}

// How many of the run's messages are below an eager limit, and how many just above it. The sizes of
// messages are known, and not for each size where it went: so all messages are held against each
// limit.

namespace {

struct SentSizes {
    uint64_t all = 0, eager = 0, just_above = 0;
};

SentSizes sizes_against(const Report &report, uint64_t limit)
{
    SentSizes sizes;
    for (const MessageRow &row : report.messages) {
        const FunctionFacts &facts = facts_of(row.function);
        const bool counts =
            row.kind != MessageKind::pending && row.precision != Precision::function;
        if (!facts.sends || facts.kind != FunctionKind::point_to_point || !counts)
            continue;
        sizes.all += row.calls;
        if (row.bytes <= limit)
            sizes.eager += row.calls;
        else if (row.bytes <= 2 * limit)
            sizes.just_above += row.calls;
    }
    return sizes;
}

// The variable that the limit comes from. Open MPI has one per transport; MPICH over UCX takes
// UCX's.
std::string setting_for(const MachineFigures &figures, RankDistance distance)
{
    const bool far = distance == RankDistance::other_node;
    for (const MachineSetting &setting : figures.settings) {
        const bool inside = setting.name.find("vader") != std::string::npos ||
                            setting.name.find("btl_sm_") != std::string::npos;
        if (setting.name.starts_with("btl_") && setting.name.ends_with("_eager_limit") &&
            inside != far)
            return "OMPI_MCA_" + setting.name;
    }
    return figures.library.find("ch4:ucx") != std::string::npos ? "UCX_RNDV_THRESH" : "";
}

std::string sentence_for(const EagerLimitRow &row)
{
    const std::string limit = fmt::format("Up to {} a message to the {} is sent eagerly",
                                          bytes_text(row.limit_bytes), row.distance);
    const std::string step =
        row.below_s > 0 && row.above_s > 0
            ? fmt::format(": it takes {}, one that is a byte larger {}", duration_text(row.below_s),
                          duration_text(row.above_s))
            : "";
    if (row.messages == 0)
        return limit + step + ".";
    const double percent =
        100 * static_cast<double>(row.just_above) / static_cast<double>(row.messages);
    if (row.just_above == 0)
        return fmt::format("{}{}. No message of the run is just above that.", limit, step);
    return fmt::format("{}{}. {} of the run's messages are larger, by at most a factor of two{}.",
                       limit, step, percent_text(percent),
                       row.setting.empty() ? "" : ": try a higher " + row.setting);
}

}  // namespace

std::vector<EagerLimitRow> find_eager_limits(const MachineFigures &figures, const Report &report)
{
    std::vector<EagerLimitRow> rows;
    for (const MachineCurve &curve : figures.curves) {
        if (!curve.eager || curve.eager->limit_bytes == 0)
            continue;
        EagerLimitRow row;
        row.distance = text_of(curve.distance);
        row.limit_bytes = curve.eager->limit_bytes;
        row.below_s = curve.eager->below_s;
        row.above_s = curve.eager->above_s;
        const SentSizes sizes = sizes_against(report, row.limit_bytes);
        row.messages = sizes.all;
        row.eager_messages = sizes.eager;
        row.just_above = sizes.just_above;
        row.setting = setting_for(figures, curve.distance);
        row.sentence = sentence_for(row);
        rows.push_back(row);
    }
    return rows;
}

// When the data of a message should be touched (share/doc/howto/machine.md), by its size:
//
//   up to the eager limit: while it is in the cache, because the MPI copies it anyway;
//   above it, up to half of the last-level cache, to other nodes: not right after it came, because
//     what the network card brings is not in the cache yet;
//   more than the cache: in pieces that stay in the cache.
//
// Where cache misses were recorded, they must say so: as many misses in the computing behind the
// call as half of the message's cache lines. Without them the size alone decides.

namespace {

constexpr uint64_t line_bytes = 64;

uint64_t cache_bytes(const MachineFigures &figures, const Report &report)
{
    std::string text = figures.fact("node.l3_bytes");
    for (const auto &[key, value] : report.run.texts)
        if (key == "node.l3_bytes")
            text = value;
    uint64_t bytes = 0;
    std::from_chars(text.data(), text.data() + text.size(), bytes);
    return bytes;
}

std::optional<uint64_t> eager_limit(const MachineFigures &figures, Locality locality)
{
    const MachineCurve *curve = curve_for(figures, locality);
    if (curve == nullptr || !curve->eager)
        return std::nullopt;
    return curve->eager->limit_bytes;
}

// Which of the counters are misses of the last-level cache.
std::optional<size_t> miss_counter(const Report &report)
{
    for (size_t i = 0; i < report.counters.size(); i++) {
        std::string name = report.counters[i].name;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        if (name.find("L3_TCM") != std::string::npos ||
            (name.find("MISS") != std::string::npos &&
             (name.find("CACHE") != std::string::npos || name.find("LLC") != std::string::npos)))
            return i;
    }
    return std::nullopt;
}

// Misses per visit in what is computed behind the call; nothing if that was not recorded.
std::optional<double> misses_behind(const Report &report, const CallsiteRow &site)
{
    const auto counter = miss_counter(report);
    double misses = 0, visits = 0;
    for (const SegmentRow &segment : report.segments)
        if (counter && segment.from_function == site.function &&
            segment.from.place() == site.site.place() && segment.counters.size() > *counter) {
            misses += static_cast<double>(segment.counters[*counter]);
            visits += static_cast<double>(segment.count);
        }
    return visits > 0 ? std::optional(misses / visits) : std::nullopt;
}

bool moves_data(const CallsiteRow &site)
{
    const FunctionFacts &facts = facts_of(site.function);
    return facts.sends || facts.receives || facts.kind == FunctionKind::collective;
}

std::string sentence_for(const TouchRow &row, uint64_t cache, std::optional<double> misses)
{
    const std::string because =
        misses ? fmt::format(" {:.0f} cache misses per call follow it.", *misses) : std::string();
    switch (row.rule) {
    case TouchRule::while_cached:
        return "Send data right after writing it, and use received data at once: such a small "
               "message stays in the cache." +
               because;
    case TouchRule::not_right_after:
        return "Do not touch the data right after it: data from another node is not yet in the "
               "cache. Compute with other data first." +
               because;
    default:
        return fmt::format("Cut it into pieces of at most {}, half of the last-level cache, and "
                           "use each piece before the next one.{}",
                           bytes_text(cache / 2), because);
    }
}

}  // namespace

std::vector<TouchRow> find_touch_rules(const MachineFigures &figures, const Report &report)
{
    std::vector<TouchRow> rows;
    const bool between_nodes = report.run.nodes > 1;
    const auto limit =
        eager_limit(figures, between_nodes ? Locality::other_node : Locality::same_node);
    const uint64_t cache = cache_bytes(figures, report);
    for (const CallsiteRow &site : report.callsites) {
        if (!site.size || *site.size == 0 || site.mpi_percent < verdict_thresholds.touch_percent ||
            !moves_data(site))
            continue;
        TouchRow row;
        if (limit && *site.size <= *limit)
            row.rule = TouchRule::while_cached;
        else if (limit && between_nodes && cache > 0 && *site.size <= cache / 2)
            row.rule = TouchRule::not_right_after;
        else if (cache > 0 && *site.size > cache)
            row.rule = TouchRule::in_pieces;
        else
            continue;
        const auto misses = misses_behind(report, site);
        if (misses &&
            *misses * static_cast<double>(2 * line_bytes) < static_cast<double>(*site.size))
            continue;
        // A small message is in the cache unless counters say that it was not.
        if (row.rule == TouchRule::while_cached && !misses)
            continue;
        row.evidence = misses ? TouchEvidence::counters : TouchEvidence::size;
        row.function = site.function;
        row.place = site.site.place();
        row.bytes = *site.size;
        row.calls = site.size_calls;
        row.mpi_percent = site.mpi_percent;
        row.sentence = sentence_for(row, cache, misses);
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto &a, const auto &b) { return a.mpi_percent > b.mpi_percent; });
    return rows;
}

}  // namespace mprof
