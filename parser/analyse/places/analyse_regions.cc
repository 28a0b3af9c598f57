// A row per region of the program, over the ranks that were in it: what was spent in the region
// itself (exclusive) and with the regions in it (inclusive). Regions are matched by their path, so
// ranks may have different ones. The first row, with an empty path, is the whole program: its
// exclusive figures are what happened outside all regions, so exclusive columns add up to the
// totals.
#include "analyse/analysis_parts.h"
#include "analyse/places/entry_sums.h"
#include "measure/for_all_ranks.h"
#include "measure/merged_profile.h"

#include <algorithm>
#include <map>
#include <set>

namespace mprof {
namespace {

RegionCost region_cost(const CostSum &sum)
{
    RegionCost cost;
    cost.calls = sum.calls;
    cost.bytes = sum.bytes;
    cost.mpi_s = sum.time_s;
    cost.wait_s = sum.wait.value();
    return cost;
}

// One rank's part of a region.
struct Share {
    double time_s = 0;  // inclusive
    double own_s = 0;   // of libmprof
    uint64_t visits = 0;
    CostSum own;  // exclusive
    CostSum all;  // inclusive
    bool is_program = false;

    // Time in a region is summed over its threads, that of the whole program is the wallclock.
    double mpi_s() const { return is_program ? all.mpi_thread_s : all.time_s; }
};

// Seconds in the region. A region that is still open counts until the last sign of life.
double region_seconds(const RankMeasure &rank, const RegionFacts &facts)
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
    const size_t slash = path.rfind(region_separator);
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

CostsBySlot cost_by_region(const RankMeasure &rank)
{
    CostsBySlot costs;
    for (const MeasuredEntry &entry : rank.entries)
        costs[entry.key.region].add(entry);
    auto region = rank.file->regions.begin();
    for (const RegionFacts &facts : rank.file->region_facts)
        return_folded(costs, (region++)->slot, facts.folded, rank.clock);
    return costs;
}

std::map<std::string, Share> shares_of(const RankMeasure &rank)
{
    const auto paths = region_paths(*rank.file);
    std::map<std::string, Share> shares;
    shares[""].time_s = rank.wallclock_s;
    shares[""].own_s = rank.own_s;
    shares[""].visits = 1;
    shares[""].is_program = true;
    auto region = rank.file->regions.begin();
    for (const RegionFacts &facts : rank.file->region_facts) {
        const auto path = paths.find((region++)->slot);
        if (path == paths.end())
            continue;
        Share &share = shares[path->second];
        share.time_s += region_seconds(rank, facts);
        share.visits += facts.visits;
    }
    for (const auto &[slot, cost] : cost_by_region(rank)) {
        const auto found = paths.find(slot);
        std::string path = found == paths.end() ? "" : found->second;
        shares[path].own.add(cost);
        for (;; path = parent_path(path)) {
            shares[path].all.add(cost);
            if (path.empty())
                break;
        }
    }
    return shares;
}

// A region's row and what only its efficiencies need.
struct RegionSum {
    RegionRow row;
    CostSum inclusive, exclusive;
    double max_time_s = 0;
    double mpi_s = 0;   // of row.time_s
    double wall_s = 0;  // in it, of each rank at most the wallclock
};

void add_share(RegionSum &sum, const Share &share, const RankMeasure &rank)
{
    RegionRow &row = sum.row;
    sum.max_time_s = std::max(sum.max_time_s, share.time_s);
    row.ranks++;
    row.visits += share.visits;
    row.time_s += share.time_s;
    sum.exclusive.add(share.own);
    sum.inclusive.add(share.all);
    sum.mpi_s += std::min(share.mpi_s(), share.time_s);
    sum.wall_s += std::min(share.time_s, rank.wallclock_s);
    const double compute_s = std::max(0.0, share.time_s - share.mpi_s() - share.own_s);
    row.compute_s += compute_s;
    if (row.ranks == 1 || compute_s > row.max_compute_s) {
        row.max_compute_s = compute_s;
        row.max_rank = rank.rank();
    }
}

// Errors in the regions of a rank, and how long the rank asked not to be recorded.
void add_remarks(const RankMeasure &rank, std::set<std::string> &left_open, Quality &quality)
{
    auto region = rank.file->regions.begin();
    for (const RegionFacts &facts : rank.file->region_facts) {
        const auto &[slot, parent, name] = *region++;
        if (slot == MPROF_REGION_SLOT_PROGRAM) {
            quality.region_ends_unmatched += facts.unmatched_ends;
            quality.regions_not_kept += facts.not_kept;
        } else if (slot == MPROF_REGION_SLOT_PAUSED) {
            quality.paused_s += region_seconds(rank, facts);
        } else if ((facts.flags & MPROF_REGION_LEFT_OPEN) != 0 ||
                   (facts.open > 0 && rank.complete())) {
            left_open.insert(name);
        }
    }
}

bool names_a_region(const RankMeasure &rank)
{
    const auto &slots = rank.file->regions;
    return std::any_of(slots.begin(), slots.end(), [](const RegionSlot &region) {
        return region.slot != MPROF_REGION_SLOT_PROGRAM && region.slot != MPROF_REGION_SLOT_PAUSED;
    });
}

}  // namespace

std::vector<RegionRow> analyse_regions(const RankMeasures &ranks, const Totals &totals,
                                       Quality &quality)
{
    std::map<std::string, RegionSum> sums;
    std::set<std::string> left_open;
    for (const RankMeasure &rank : ranks)
        add_remarks(rank, left_open, quality);
    quality.regions_left_open.assign(left_open.begin(), left_open.end());
    if (std::none_of(ranks.begin(), ranks.end(), names_a_region))
        return {};
    make_for_all_ranks(
        ranks.size(), [&](size_t r) { return shares_of(ranks[r]); },
        [&](size_t r, const std::map<std::string, Share> &shares) {
            for (const auto &[path, share] : shares)
                add_share(sums[path], share, ranks[r]);
        });
    if (sums.size() < 2)
        return {};
    std::vector<RegionRow> rows;
    for (auto &[path, sum] : sums) {
        RegionRow &row = sum.row;
        row.inclusive = region_cost(sum.inclusive);
        row.exclusive = region_cost(sum.exclusive);
        row.comm_percent = row.time_s > 0 ? 100 * sum.mpi_s / row.time_s : 0;
        if (totals.wallclock_s > 0)
            row.wall_percent = 100 * sum.wall_s / totals.wallclock_s;
        const double mean = row.compute_s / static_cast<double>(row.ranks);
        row.path = region_text(path);
        row.load_balance = row.max_compute_s > 0 ? mean / row.max_compute_s : 1;
        row.communication_efficiency = sum.max_time_s > 0 ? row.max_compute_s / sum.max_time_s : 1;
        row.parallel_efficiency = row.load_balance * row.communication_efficiency;
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace mprof
