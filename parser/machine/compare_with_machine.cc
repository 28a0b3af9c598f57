// Times of a run have waiting in them, those of the machine none. So the share of waiting is taken
// out, which is known per function and, for messages, per run. A size between two that were
// measured lies on the line between them.
#include "machine/compare_with_machine.h"

#include "report/number_text.h"
#include "report/verdict_thresholds.h"
#include "waits/transfer_cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace mprof {
namespace {

constexpr double slow_machine_factor = 4;  // from here on a problem
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

// The number of ranks of the machine's figures that is nearest to the run's; nothing if it is
// smaller or larger by more than a factor of two.
std::optional<uint32_t> nearest_ranks(const MachineFigures &figures, uint32_t ranks)
{
    constexpr double near = 2;
    std::optional<uint32_t> nearest;
    const auto apart = [&](uint32_t count) {
        return count == 0 ? 0 : std::fabs(std::log(static_cast<double>(count) / ranks));
    };
    for (const CollectiveTime &row : figures.collectives)
        if (apart(row.ranks) <= std::log(near) + 1e-9 &&
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
    if (counts && row.factor >= slow_machine_factor)
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
        report.machine.remarks.emplace_back("Among how many ranks the machine's collectives were "
                                            "measured is not known.");
        return;
    }
    report.machine.remarks.push_back(
        fmt::format("The machine's collectives are those of {}, the run has {}{}.",
                    plural(ranks.value_or(figures.collectives.front().ranks), "rank"),
                    report.run.ranks, ranks ? "" : ": they are not compared"));
}

// Of the time in calls that move or complete messages, what is not waiting.
std::optional<double> moving_share_of_messages(const Report &report)
{
    double all_s = 0, wait_s = 0;
    for (const RankRow &rank : report.ranks)
        if (rank.message_s && rank.message_wait_s) {
            all_s += *rank.message_s;
            wait_s += *rank.message_wait_s;
        }
    if (all_s <= 0)
        return std::nullopt;
    return std::clamp(1 - wait_s / all_s, 0.0, 1.0);
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
        waits ? fmt::format(", {} of it without waiting", duration_text(*row.moving_s)) : "";
    return fmt::format("{} takes {}{} here{}; the machine does it in {}.", what,
                       duration_text(row.here_s), among, without, duration_text(row.machine_s));
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

}  // namespace mprof
