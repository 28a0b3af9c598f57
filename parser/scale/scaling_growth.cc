// What grows: each part of the average rank's time by size, its law, and what that says of ten
// times as many ranks. Call lines and computing together are the whole time, so their projections
// add up to that of the run.
#include "scale/scaling_parts.h"

#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace mprof {
namespace {

constexpr double projected_times = 10;       // the largest size
constexpr double least_share = 0.002;        // of a run, for a row of its own
constexpr double least_measurable = 0.0005;  // of a run
constexpr double most_unknown = 0.05;        // of the largest run, in rows without a projection
constexpr int projected_steps = 8;
constexpr double furthest_times = 100;  // where the end of the scaling is looked for
constexpr double step_of_search = 1.05;

using RowsOfRun = std::map<std::string, RunRow>;

const RunRow *row_in(const SizeRun &run, RowsOfRun SizeRun::*rows, const std::string &key)
{
    const auto at = (run.*rows).find(key);
    return at == (run.*rows).end() ? nullptr : &at->second;
}

Growth growth_over(const SizesOfRuns &sizes, uint32_t least_ranks,
                   const std::function<std::optional<double>(const SizeRun &)> &value_of)
{
    std::vector<GrowthPoint> points;
    for (const RunsOfSize &runs : sizes)
        for (const SizeRun *run : runs)
            if (run->run.ranks >= least_ranks)
                points.push_back({static_cast<double>(run->run.ranks), value_of(*run).value_or(0)});
    return Growth(points);
}

bool is_of_mpi(GrowthKind kind)
{
    return kind == GrowthKind::call_line || kind == GrowthKind::function;
}

// What is lost in the noise of the clock has no law.
bool is_measurable(const SizesOfRuns &sizes, const GrowthRow &row)
{
    for (size_t i = 0; i < sizes.size(); i++) {
        const double run_s = sizes[i][0]->run.wallclock_s;
        const bool is_alone = is_of_mpi(row.kind) && sizes[i][0]->run.ranks == 1;
        if (!is_alone && row.time_s[i] < least_measurable * run_s)
            return false;
    }
    return true;
}

GrowthRow growth_row(const SizesOfRuns &sizes, RowsOfRun SizeRun::*rows, const std::string &key)
{
    GrowthRow row;
    const auto time_of = [&](const SizeRun &run) -> std::optional<double> {
        const RunRow *found = row_in(run, rows, key);
        return found == nullptr ? 0 : found->time_s;
    };
    for (const RunsOfSize &runs : sizes) {
        row.time_s.push_back(*median_of(runs, time_of));
        row.wait_s.push_back(*median_of(runs, [&](const SizeRun &run) -> std::optional<double> {
            const RunRow *found = row_in(run, rows, key);
            return found == nullptr ? 0 : found->wait_s.value_or(0);
        }));
        const RunRow *longest = nullptr;
        for (const SizeRun *run : runs)
            if (const RunRow *found = row_in(*run, rows, key)) {
                row.kind = found->names.kind;
                row.what = found->names.what;
                row.place = found->names.place;
                row.symbol = found->names.symbol;
                row.function = found->names.function;
                row.file = found->names.file;
                row.line = found->names.line;
                if (longest == nullptr || found->slowest_s > longest->slowest_s)
                    longest = found;
            }
        row.slowest_s.push_back(*median_of(runs, [&](const SizeRun &run) -> std::optional<double> {
            const RunRow *found = row_in(run, rows, key);
            return found == nullptr ? 0 : found->slowest_s;
        }));
        row.slowest_rank.push_back(longest == nullptr ? 0 : longest->slowest_rank);
    }
    // With one rank MPI has nobody to talk to: that run says nothing of how its calls grow.
    if (is_measurable(sizes, row))
        row.growth = growth_over(sizes, is_of_mpi(row.kind) ? 2 : 1, time_of);
    return row;
}

std::set<std::string> keys_worth(const SizesOfRuns &sizes, RowsOfRun SizeRun::*rows)
{
    std::set<std::string> keys;
    for (const RunsOfSize &runs : sizes)
        for (const SizeRun *run : runs)
            for (const auto &[key, row] : run->*rows)
                if (std::max(row.time_s, row.slowest_s) >= least_share * run->run.wallclock_s)
                    keys.insert(key);
    return keys;
}

bool is_part_of_run(const GrowthRow &row)
{
    return row.kind == GrowthKind::call_line || row.kind == GrowthKind::compute;
}

// Of all parts together; what has no projection stays as it is at the largest size. None if that is
// too much.
std::optional<Projection> whole_at(const Scaling &scaling, double ranks)
{
    Projection whole;
    double unknown_s = 0;
    for (const GrowthRow &row : scaling.growth) {
        if (!is_part_of_run(row))
            continue;
        const double last_s = row.time_s.back();
        const auto part = row.growth.at(ranks);
        unknown_s += part ? 0 : last_s;
        whole.value += part ? part->value : last_s;
        whole.low += part ? part->low : last_s;
        whole.high += part ? part->high : last_s;
    }
    return unknown_s <= most_unknown * scaling.sizes.back().wallclock_s ? std::optional(whole)
                                                                        : std::nullopt;
}

// `scale`: of the slowest rank against the average one.
ProjectedSize projected_size(const Scaling &scaling, double ranks, const Projection &rows_s,
                             double scale)
{
    const Projection whole = {scale * rows_s.value, scale * rows_s.low, scale * rows_s.high};
    const auto speedup = [&](double wallclock_s) {
        return ranks * efficiency_of(scaling, wallclock_s, ranks);
    };
    return {ranks, whole, {speedup(whole.value), speedup(whole.high), speedup(whole.low)}};
}

}  // namespace

void add_growth(const SizesOfRuns &sizes, Scaling &scaling)
{
    for (const std::string &key : keys_worth(sizes, &SizeRun::rows))
        scaling.growth.push_back(growth_row(sizes, &SizeRun::rows, key));
    for (const std::string &key : keys_worth(sizes, &SizeRun::segments))
        scaling.segments.push_back(growth_row(sizes, &SizeRun::segments, key));
}

void add_memory(const SizesOfRuns &sizes, Scaling &scaling)
{
    LibraryMemory memory;
    for (const RunsOfSize &runs : sizes) {
        const auto bytes = median_of(runs, [](const SizeRun &run) { return run.library_bytes; });
        if (!bytes || *bytes <= 0)
            return;
        memory.bytes.push_back(*bytes);
    }
    memory.growth = growth_over(sizes, 1, [](const SizeRun &run) { return run.library_bytes; });
    scaling.memory = std::move(memory);
}

void project(Scaling &scaling)
{
    const double largest = scaling.sizes.back().ranks;
    if (scaling.sizes.size() >= least_law_sizes)
        scaling.projected_wallclock_s = whole_at(scaling, projected_times * largest);
    if (scaling.projected_wallclock_s) {
        scaling.projected_ranks = projected_times * largest;
        // The rows are of the average rank, the wallclock is that of the slowest.
        double rows_s = 0;
        for (const GrowthRow &row : scaling.growth)
            rows_s += is_part_of_run(row) ? row.time_s.back() : 0;
        const double scale = rows_s > 0 ? scaling.sizes.back().wallclock_s / rows_s : 1;
        Projection &whole = *scaling.projected_wallclock_s;
        whole = {scale * whole.value, scale * whole.low, scale * whole.high};
        const auto efficiency = [&](double wallclock_s, double ranks) {
            return efficiency_of(scaling, wallclock_s, ranks);
        };
        scaling.projected_efficiency = {efficiency(whole.value, scaling.projected_ranks),
                                        efficiency(whole.high, scaling.projected_ranks),
                                        efficiency(whole.low, scaling.projected_ranks)};
        for (int step = 1; step <= projected_steps; step++) {
            const double ranks =
                largest * std::pow(projected_times, step / double{projected_steps});
            if (const auto here = whole_at(scaling, ranks))
                scaling.projected.push_back(projected_size(scaling, ranks, *here, scale));
        }
        for (double ranks = largest;
             !scaling.first_bad && !scaling.ends_at_ranks && ranks <= furthest_times * largest;
             ranks *= step_of_search)
            if (efficiency(scale * whole_at(scaling, ranks)->value, ranks) < worth_efficiency)
                scaling.ends_at_ranks = ranks;
        for (GrowthRow &row : scaling.growth) {
            row.projected_s = row.growth.at(scaling.projected_ranks);
            if (row.projected_s)
                row.projected_share = std::min(1.0, scale * row.projected_s->value / whole.value);
        }
        if (scaling.memory)
            scaling.memory->projected_bytes = scaling.memory->growth.at(scaling.projected_ranks);
    }
    std::stable_sort(
        scaling.growth.begin(), scaling.growth.end(), [](const GrowthRow &a, const GrowthRow &b) {
            return a.projected_share != b.projected_share ? a.projected_share > b.projected_share
                                                          : a.time_s.back() > b.time_s.back();
        });
}

}  // namespace mprof
