// Sizes are put together in powers of two. Of small messages the receiving side counts, blocking
// calls and completions: sending one is over before it arrives. Of large ones both sides count.
#include "waits/transfer_rows.h"

#include "report/verdict_thresholds.h"

#include <algorithm>
#include <bit>
#include <map>

namespace mprof {
namespace {

struct Sum {
    TransferRow row;
    double messages = 0, observed_s = 0, possible_s = 0;
    double from_baseline_s = 0;  // part of possible_s
};

using Sums = std::map<std::pair<bool, int>, Sum>;  // other node?, number of the power of two

void add(WaitContext &context, size_t rank, const MeasuredEntry &entry, Sums &sums)
{
    const FunctionFacts &rules = context.facts_of_entry(rank, entry);
    const bool completion = entry.key.kind == MPROF_KIND_COMPLETION;
    const bool call = entry.key.kind == MPROF_KIND_CALL;
    if ((completion ? rules.completion : rules.call) != WaitRule::message ||
        !(completion || call) || entry.key.size == 0 || entry.calls == 0 ||
        entry.key.precision == MPROF_PRECISION_FUNCTION)
        return;
    const bool large = entry.key.size >= verdict_thresholds.large_message_bytes;
    const bool other_node = context.sites.other_node(rank, entry.key.callsite) > 0.5;
    const auto cost_s = context.cost.possible(entry.key.size, other_node);
    if (!cost_s || (!large && side_of(rules) == CallSide::send))
        return;
    Sum &sum = sums[{other_node, std::bit_width(entry.key.size)}];
    const auto messages = static_cast<double>(entry.calls);
    const bool is_new = sum.messages <= 0;
    sum.row.low_bytes = is_new ? entry.key.size : std::min(sum.row.low_bytes, entry.key.size);
    sum.row.high_bytes = std::max(sum.row.high_bytes, entry.key.size);
    sum.row.messages += entry.calls;
    sum.messages += messages;
    sum.observed_s += entry.blocked_s();
    sum.possible_s += messages * *cost_s;
    if (context.cost.is_from_baseline(entry.key.size, other_node))
        sum.from_baseline_s += messages * *cost_s;
}

}  // namespace

std::vector<TransferRow> transfer_rows(WaitContext &context)
{
    Sums sums;
    for (size_t r = 0; r < context.ranks.size(); r++)
        for (const MeasuredEntry &entry : context.ranks[r].entries)
            add(context, r, entry, sums);
    std::vector<TransferRow> rows;
    for (auto &[key, sum] : sums) {
        sum.row.locality = key.first ? Locality::other_node : Locality::same_node;
        sum.row.observed_s = sum.observed_s / sum.messages;
        // Messages that went on while the ranks computed, or were handed over before they arrived,
        // took less than they can take alone. So that much was possible.
        sum.row.possible_s = std::min(sum.possible_s, sum.observed_s) / sum.messages;
        sum.row.source = sum.from_baseline_s * 2 >= sum.possible_s ? CostSource::baseline
                                                                   : CostSource::best_case;
        rows.push_back(sum.row);
    }
    return rows;
}

}  // namespace mprof
