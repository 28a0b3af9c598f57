// A row per communicator, over the ranks that are in it. Files number communicators each for
// itself; `identity` tells which are the same. Where it is not known, communicators of the same
// making, name and size share a row.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace mprof {
namespace {

using Key = std::tuple<uint32_t, uint64_t, std::string, std::string, uint32_t, uint32_t>;

uint32_t predefined_slot(uint32_t slot)
{
    return slot <= MPROF_COMM_SLOT_OTHER ? slot : 0;
}

std::string kind_name(uint32_t flags)
{
    if ((flags & MPROF_COMM_INTER) != 0)
        return "inter";
    if ((flags & MPROF_COMM_CARTESIAN) != 0)
        return "cartesian";
    if ((flags & MPROF_COMM_GRAPH) != 0)
        return "graph";
    return "intra";
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

struct Cost {
    uint64_t calls = 0;
    uint64_t bytes = 0;
    double time_s = 0;
};

std::map<uint32_t, Cost> cost_by_slot(const RankMeasure &rank)
{
    std::map<uint32_t, Cost> costs;
    for (const MeasuredEntry &entry : rank.entries) {
        Cost &cost = costs[entry.key.communicator];
        if (entry.counts_calls())
            cost.calls += entry.calls;
        if (entry.key.kind == MPROF_KIND_CALL || entry.key.kind == MPROF_KIND_START)
            cost.bytes += entry.bytes;
        cost.time_s += entry.time_s;
    }
    return costs;
}

CommunicatorRow &find_row(std::map<Key, CommunicatorRow> &rows, const CommunicatorSlot &slot,
                          const std::string &made_by)
{
    const mprof_communicator &facts = slot.facts;
    const uint32_t predefined = predefined_slot(slot.slot);
    // The predefined ones are the same on all ranks, MPI_COMM_SELF by its meaning.
    const bool alone = predefined != 0 || facts.identity == 0;
    const Key key{predefined == 0 ? UINT32_MAX : predefined,
                  predefined == 0 ? facts.identity : 0,
                  alone ? slot.name : "",
                  alone ? made_by : "",
                  alone ? facts.size : 0,
                  alone ? facts.remote_size : 0};
    CommunicatorRow &row = rows[key];
    if (row.ranks > 0)
        return row;
    row.name = display_name(slot);
    row.identity = facts.identity == 0 ? "" : fmt::format("{:016x}", facts.identity);
    row.made_by = made_by;
    row.kind = kind_name(facts.flags);
    row.size = facts.size;
    row.remote_size = facts.remote_size;
    return row;
}

}  // namespace

void analyse_communicators(const RankMeasures &ranks, Report &report)
{
    std::map<Key, CommunicatorRow> rows;
    for (const RankMeasure &rank : ranks) {
        const auto costs = cost_by_slot(rank);
        for (const CommunicatorSlot &slot : rank.file->communicators) {
            if (slot.slot == MPROF_COMM_SLOT_NONE)
                continue;
            const std::string made_by =
                slot.facts.made_by == 0 ? "" : rank.file->function_name(slot.facts.made_by - 1U);
            CommunicatorRow &row = find_row(rows, slot, made_by);
            row.ranks++;
            row.created = std::max(row.created, slot.facts.created);
            const auto cost = costs.find(slot.slot);
            if (cost == costs.end())
                continue;
            row.calls += cost->second.calls;
            row.bytes += cost->second.bytes;
            row.time_s += cost->second.time_s;
        }
    }
    for (auto &[key, row] : rows)
        report.communicators.push_back(std::move(row));
    std::stable_sort(
        report.communicators.begin(), report.communicators.end(),
        [](const CommunicatorRow &a, const CommunicatorRow &b) { return a.time_s > b.time_s; });
}

}  // namespace mprof
