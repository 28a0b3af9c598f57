// A row per communicator, over the ranks that are in it. Files number communicators each for
// itself; `identity` tells which are the same. If it is not known, communicators that were made the
// same way and have the same name and size share a row. Calls that have none (MPI_Init,
// MPI_Waitall, MPI_Get_count, ...) have a row of their own, so that the table adds up to the
// totals.
#include "analyse/analysis_parts.h"
#include "analyse/places/entry_sums.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace mprof {
namespace {

using CommunicatorKey =
    std::tuple<uint32_t, uint64_t, std::string, std::string, uint32_t, uint32_t>;

uint32_t predefined_slot(uint32_t slot)
{
    return slot <= MPROF_COMM_SLOT_OTHER ? slot : 0;
}

CommunicatorKind communicator_kind(uint32_t flags)
{
    if ((flags & MPROF_COMM_INTER) != 0)
        return CommunicatorKind::inter;
    if ((flags & MPROF_COMM_CARTESIAN) != 0)
        return CommunicatorKind::cartesian;
    if ((flags & MPROF_COMM_GRAPH) != 0)
        return CommunicatorKind::graph;
    return CommunicatorKind::intra;
}

std::string display_name(const CommunicatorSlot &slot)
{
    if (!slot.name.empty())
        return slot.name;
    switch (slot.slot) {
    case MPROF_COMM_SLOT_WORLD:
        return "MPI_COMM_WORLD";
    case MPROF_COMM_SLOT_SELF:
        return "MPI_COMM_SELF";
    case MPROF_COMM_SLOT_OTHER:
        return "(all others)";
    default:
        return "";
    }
}

CostsBySlot cost_by_communicator(const RankMeasure &rank)
{
    CostsBySlot costs;
    for (const MeasuredEntry &entry : rank.entries)
        costs[entry.key.communicator].add(entry);
    for (const FoldedCommunicator &folded : rank.file->folded_communicators)
        return_folded(costs, folded.slot, folded.sums, rank.clock);
    return costs;
}

void add_cost(CommunicatorRow &row, WaitSum &wait, const CostSum &cost)
{
    row.calls += cost.calls;
    row.bytes += cost.bytes;
    row.time_s += cost.time_s;
    row.mpi_thread_s += cost.mpi_thread_s;
    wait.add(cost.wait);
}

// A row of the report and its number among the merged communicators.
struct CommunicatorSum {
    CommunicatorRow row;
    WaitSum wait;
    uint32_t number = 0;
};

CommunicatorSum &find_sum(std::map<CommunicatorKey, CommunicatorSum> &sums,
                          const CommunicatorSlot &slot, const std::string &made_by)
{
    const CommunicatorFacts &facts = slot.facts;
    const uint32_t predefined = predefined_slot(slot.slot);
    // The predefined ones are the same on all ranks, MPI_COMM_SELF by its meaning.
    const bool alone = predefined != 0 || facts.identity == 0;
    const CommunicatorKey key{predefined == 0 ? UINT32_MAX : predefined,
                              predefined == 0 ? facts.identity : 0,
                              alone ? slot.name : "",
                              alone ? made_by : "",
                              alone ? facts.size : 0,
                              alone ? facts.remote_size : 0};
    const auto [at, is_new] = sums.try_emplace(key);
    if (!is_new)
        return at->second;
    at->second.number = static_cast<uint32_t>(sums.size());
    CommunicatorRow &row = at->second.row;
    row.name = display_name(slot);
    row.identity = facts.identity == 0 ? "" : fmt::format("{:016x}", facts.identity);
    row.made_by = made_by;
    row.kind = communicator_kind(facts.flags);
    row.size = facts.size;
    row.remote_size = facts.remote_size;
    return at->second;
}

// "MPI_COMM_WORLD", "rows", "of MPI_Comm_split at cg.c:12"
std::string label_of(const CommunicatorRow &row)
{
    if (!row.name.empty())
        return row.name;
    std::string label = row.made_by.empty() ? "without name" : "of " + row.made_by;
    if (!row.made_at.empty())
        label += " at " + row.made_at;
    return label;
}

}  // namespace

std::vector<CommunicatorRow> analyse_communicators(const RankMeasures &ranks, Merged &merged)
{
    std::map<CommunicatorKey, CommunicatorSum> sums;
    CommunicatorSum without;
    for (size_t r = 0; r < ranks.size(); r++) {
        const RankFile &file = *ranks[r].file;
        auto costs = cost_by_communicator(ranks[r]);
        merged.communicators.begin_rank(file.communicators.size());
        for (const CommunicatorSlot &slot : file.communicators) {
            if (slot.slot == MPROF_COMM_SLOT_NONE)
                continue;
            const std::string made_by =
                slot.facts.made_by == 0 ? "" : file.function_name(slot.facts.made_by - 1U);
            CommunicatorSum &sum = find_sum(sums, slot, made_by);
            CommunicatorRow &row = sum.row;
            merged.communicators.add(slot.slot, sum.number);
            row.ranks++;
            row.created = std::max(row.created, slot.facts.created);
            if (row.made_at.empty())
                row.made_at =
                    merged.paths.site_of(merged.paths.node_of(r, slot.facts.callsite)).place();
            const auto cost = costs.find(slot.slot);
            if (cost == costs.end())
                continue;
            add_cost(row, sum.wait, cost->second);
            costs.erase(cost);
        }
        // What is left has no communicator.
        if (!costs.empty())
            without.row.ranks++;
        for (const auto &[slot, cost] : costs)
            add_cost(without.row, without.wait, cost);
    }
    std::vector<CommunicatorRow> rows;
    for (auto &[key, sum] : sums) {
        sum.row.wait_s = sum.wait.value();
        merged.communicators.set_label(sum.number, label_of(sum.row));
        rows.push_back(std::move(sum.row));
    }
    if (without.row.calls > 0) {
        without.row.name = "(none)";
        without.row.kind = CommunicatorKind::none;
        without.row.wait_s = without.wait.value();
        rows.push_back(std::move(without.row));
    }
    std::stable_sort(
        rows.begin(), rows.end(),
        [](const CommunicatorRow &a, const CommunicatorRow &b) { return a.time_s > b.time_s; });
    return rows;
}

uint32_t CommunicatorRows::row_of(size_t rank, uint32_t slot) const
{
    const auto &rows = ranks_[rank];
    const auto at = std::lower_bound(rows.begin(), rows.end(), std::pair(slot, uint32_t{0}));
    return at == rows.end() || at->first != slot ? 0 : at->second;
}

void CommunicatorRows::set_label(uint32_t row, std::string label)
{
    if (labels_.size() <= row)
        labels_.resize(row + 1);
    labels_[row] = std::move(label);
}

}  // namespace mprof
