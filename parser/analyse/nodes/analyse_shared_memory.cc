// What stays within a node, by callsite, and what it would cost if ranks of a node shared memory
// (MPI-3: MPI_Win_allocate_shared) and read each other's data in place.
//
// Bytes, messages and time are recorded by callsite and partner, so they are exact but for partners
// that were folded. Two things are estimated. The waiting of a callsite is divided among its
// partners by their time. A direct load costs one flag, the latency of the machine's smallest
// message; and between nothing, where the program reads the data once anyway, and the time in which
// the machine's messages move those bytes. So what is saved is an interval.
#include "analyse/analysis_parts.h"
#include "measure/function_facts.h"
#include "measure/message_sites.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <vector>

namespace mprof {
namespace {

struct InsideSum {
    uint64_t messages = 0, bytes = 0;
    // The side that takes the data reads it.
    uint64_t loads = 0, load_bytes = 0;
    double inside_s = 0, all_s = 0;
};
using InsideSums = std::unordered_map<uint32_t, InsideSum>;  // by node of the call path

bool takes_data(const mprof_partner &partner)
{
    return partner.kind == MPROF_PARTNER_RECEIVED || partner.kind == MPROF_PARTNER_GET ||
           partner.kind == MPROF_PARTNER_PUT;
}

InsideSums sums_of(const RankMeasures &ranks, const CallPaths &paths)
{
    const MessageSites sites(ranks);
    InsideSums sums;
    for (size_t r = 0; r < ranks.size(); r++)
        for (const ThreadRecord &thread : ranks[r].file->threads)
            for (const mprof_partner &partner : thread.partners) {
                const size_t other = sites.index_of(partner.rank);
                const double seconds = partner_seconds(partner, ranks[r]);
                const uint32_t node = paths.node_of(r, partner.callsite);
                sums[node].all_s += seconds;
                if (other == unknown_rank || other == r || sites.host_of(other) != sites.host_of(r))
                    continue;
                InsideSum &sum = sums[node];
                sum.inside_s += seconds;
                sum.messages += partner.messages;
                sum.bytes += partner.bytes;
                sum.loads += takes_data(partner) ? partner.messages : 0;
                sum.load_bytes += takes_data(partner) ? partner.bytes : 0;
            }
    return sums;
}

// Of messages within a node.
struct NearCost {
    double latency_s = 0, byte_s = 0;
};

std::optional<NearCost> near_cost(const Report &report)
{
    std::array<std::vector<const MessageCost *>, 2> points;  // baseline, best case
    for (const MessageCost &cost : report.message_costs)
        if (cost.locality == Locality::same_node)
            points[cost.source == CostSource::baseline ? 0 : 1].push_back(&cost);
    const auto &known = points[points[0].empty() ? 1 : 0];
    if (known.empty())
        return std::nullopt;
    const MessageCost &least = *known.front(), &most = *known.back();
    NearCost cost{least.best_s, 0};
    if (most.bytes > least.bytes)
        cost.byte_s = std::max(0.0, most.best_s - least.best_s) /
                      static_cast<double>(most.bytes - least.bytes);
    return cost;
}

void add_inside(const InsideSum &sum, const std::optional<NearCost> &cost, CallsiteRow &row)
{
    row.inside_messages = sum.messages;
    row.inside_bytes = sum.bytes;
    row.inside_s = sum.inside_s;
    if (!cost || !row.wait_s)
        return;
    const double share = sum.all_s > 0 ? sum.inside_s / sum.all_s : 0;
    const double transfer_s = std::max(0.0, sum.inside_s - share * *row.wait_s);
    const double flags_s = static_cast<double>(sum.loads) * cost->latency_s;
    const double copies_s = static_cast<double>(sum.load_bytes) * cost->byte_s;
    row.load_s = flags_s + copies_s;
    row.load_saves_high_s = std::max(0.0, transfer_s - flags_s);
    row.load_saves_low_s = std::max(0.0, transfer_s - flags_s - copies_s);
}

bool moves_data(const std::string &function)
{
    const FunctionFacts facts = facts_of(function);
    return facts.sends || facts.receives || facts.kind == FunctionKind::one_sided;
}

void remark_on_shared_memory(Report &report)
{
    const Totals &totals = report.totals;
    const double ranks = std::max<double>(1, static_cast<double>(report.ranks.size()));
    if (!totals.load_saves_high_s || 100 * *totals.load_saves_high_s / ranks <
                                         verdict_thresholds.step_percent * report.run.wallclock_s)
        return;
    const auto most = std::max_element(report.callsites.begin(), report.callsites.end(),
                                       [](const CallsiteRow &a, const CallsiteRow &b) {
                                           return a.load_saves_high_s.value_or(0) <
                                                  b.load_saves_high_s.value_or(0);
                                       });
    report.partner_remarks.push_back(fmt::format(
        "shared memory: messages within nodes take {} of the average rank, waiting included. With "
        "a shared window of MPI-3 and direct loads, estimated: {} to {} less, most at {} at {} "
        "({} moved there)",
        duration_text(totals.inside_s / ranks), duration_text(*totals.load_saves_low_s / ranks),
        duration_text(*totals.load_saves_high_s / ranks), most->function, most->site.words(),
        bytes_text(most->inside_bytes)));
}

}  // namespace

void analyse_shared_memory(const RankMeasures &ranks, const Merged &merged, Report &report)
{
    if (report.callsites.empty() || report.ranks.size() < 2)
        return;
    const InsideSums sums = sums_of(ranks, merged.paths);
    const std::optional<NearCost> cost = near_cost(report);
    for (CallsiteRow &row : report.callsites) {
        const auto found = sums.find(row.node);
        // Several functions may be called at one place; who moves data has a partner.
        if (row.node == 0 || found == sums.end() || !moves_data(row.function))
            continue;
        add_inside(found->second, cost, row);
        report.totals.inside_s += row.inside_s;
        if (!row.load_saves_high_s)
            continue;
        report.totals.load_saves_low_s =
            report.totals.load_saves_low_s.value_or(0) + *row.load_saves_low_s;
        report.totals.load_saves_high_s =
            report.totals.load_saves_high_s.value_or(0) + *row.load_saves_high_s;
    }
    remark_on_shared_memory(report);
}

}  // namespace mprof
