// A row per region of the program, over the ranks that were in it: what was spent in the region
// itself (exclusive) and with the regions in it (inclusive). Regions are matched by their path, so
// ranks may have different ones. The first row, with an empty path, is the whole program: its
// exclusive figures are what happened outside of all regions, so exclusive columns add up to the
// totals.
#include "analyse/analysis_parts.h"

#include <algorithm>
#include <map>
#include <set>

namespace mprof {
namespace {

// One rank's part of a region.
struct Share {
    double time_s = 0;  // inclusive
    uint64_t visits = 0;
    RegionCost own;  // exclusive
    RegionCost all;  // inclusive
};

void add_cost(RegionCost &sum, const RegionCost &cost)
{
    sum.calls += cost.calls;
    sum.bytes += cost.bytes;
    sum.mpi_s += cost.mpi_s;
}

// Between the names of a path while they are compared: a name itself may hold a slash.
constexpr char separator = '\x1f';

// "solve", "inner"; a path that does not end at the program (a damaged file) is cut off.
std::string path_of(const std::map<uint32_t, const RegionSlot *> &slots, uint32_t slot)
{
    std::string path;
    for (size_t steps = 0; slot > MPROF_REGION_SLOT_PAUSED && steps < slots.size(); steps++) {
        const auto found = slots.find(slot);
        if (found == slots.end())
            break;
        if (!path.empty())
            path.insert(0, 1, separator);
        path.insert(0, found->second->name);
        slot = static_cast<uint32_t>(found->second->facts.parent);
    }
    return path;
}

// Seconds in the region; of one that is still open until the last thing that is known.
double region_seconds(const RankMeasure &rank, const mprof_region &facts)
{
    uint64_t end = rank.clock.latest_ticks();
    if (!rank.file->finished())
        for (const ThreadRecord &thread : rank.file->threads)
            end = std::max(end, thread.facts.ticks);
    const uint64_t ticks = facts.ticks + facts.open * end;
    const double seconds =
        static_cast<double>(static_cast<int64_t>(ticks)) * rank.clock.seconds_per_tick();
    return std::max(0.0, seconds);
}

std::string parent_path(const std::string &path)
{
    const size_t slash = path.rfind(separator);
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::map<std::string, Share> shares_of(const RankMeasure &rank)
{
    std::map<uint32_t, const RegionSlot *> slots;
    for (const RegionSlot &slot : rank.file->regions)
        slots.emplace(slot.slot, &slot);
    std::map<std::string, Share> shares;
    shares[""].time_s = rank.wallclock_s;
    shares[""].visits = 1;
    for (const auto &[slot, region] : slots) {
        if (slot <= MPROF_REGION_SLOT_PAUSED)
            continue;
        Share &share = shares[path_of(slots, slot)];
        share.time_s += region_seconds(rank, region->facts);
        share.visits += region->facts.visits;
    }
    for (const MeasuredEntry &entry : rank.entries) {
        RegionCost cost;
        cost.calls = entry.counts_calls() ? entry.calls : 0;
        cost.bytes = entry.key.kind == MPROF_KIND_CALL || entry.key.kind == MPROF_KIND_START
                         ? entry.bytes
                         : 0;
        cost.mpi_s = entry.time_s;
        std::string path = path_of(slots, entry.key.region);
        add_cost(shares[path].own, cost);
        for (;; path = parent_path(path)) {
            add_cost(shares[path].all, cost);
            if (path.empty())
                break;
        }
    }
    return shares;
}

void add_share(RegionRow &row, const Share &share, uint32_t rank)
{
    row.ranks++;
    row.visits += share.visits;
    row.time_s += share.time_s;
    add_cost(row.exclusive, share.own);
    add_cost(row.inclusive, share.all);
    const double compute_s = std::max(0.0, share.time_s - share.all.mpi_s);
    row.compute_s += compute_s;
    if (row.ranks == 1 || compute_s > row.max_compute_s) {
        row.max_compute_s = compute_s;
        row.max_rank = rank;
    }
}

// What went wrong with the regions of a rank, and how long it asked not to be recorded.
void add_remarks(const RankMeasure &rank, std::set<std::string> &left_open, Quality &quality)
{
    for (const RegionSlot &region : rank.file->regions) {
        if (region.slot == MPROF_REGION_SLOT_PROGRAM) {
            quality.region_ends_unmatched += region.facts.unmatched_ends;
            quality.regions_not_kept += region.facts.not_kept;
        } else if (region.slot == MPROF_REGION_SLOT_PAUSED) {
            quality.paused_s += region_seconds(rank, region.facts);
        } else if ((region.facts.flags & MPROF_REGION_LEFT_OPEN) != 0 ||
                   (region.facts.open > 0 && rank.complete())) {
            left_open.insert(region.name);
        }
    }
}

}  // namespace

void analyse_regions(const RankMeasures &ranks, Report &report)
{
    std::map<std::string, RegionRow> rows;
    std::set<std::string> left_open;
    for (const RankMeasure &rank : ranks)
        add_remarks(rank, left_open, report.quality);
    report.quality.regions_left_open.assign(left_open.begin(), left_open.end());
    for (const RankMeasure &rank : ranks)
        for (const auto &[path, share] : shares_of(rank)) {
            RegionRow &row = rows[path];
            row.path = path;
            add_share(row, share, rank.rank());
        }
    if (rows.size() < 2)
        return;  // the program names no region
    for (auto &[path, row] : rows) {
        const double mean = row.compute_s / static_cast<double>(row.ranks);
        std::replace(row.path.begin(), row.path.end(), separator, '/');
        row.load_balance = row.max_compute_s > 0 ? mean / row.max_compute_s : 1;
        report.regions.push_back(std::move(row));
    }
}

}  // namespace mprof
