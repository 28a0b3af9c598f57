// OpenMP: how much of each rank's time is in parallel regions, and how busy its threads are.
//
// The record has sums of ticks per place and rank. The mean busy time of a region's threads is the
// busy time by the average number of threads. Where threads run tasks that nobody sees, samples of
// the first one tell how busy they are.
#include "analyse/analysis_parts.h"
#include "report/number_text.h"
#include "report/verdict_thresholds.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace mprof {
namespace {

constexpr double most_unseen = 0.05;  // of the time in parallel regions: else nothing is known

struct ParallelSums {
    uint64_t regions = 0, threads = 0;
    double time_s = 0, mpi_s = 0;
    double thread_s = 0, busy_s = 0;        // of all threads
    double mean_busy_s = 0, longest_s = 0;  // of a thread
    double unseen_s = 0;                    // of time_s, where tasks ran unseen
    bool is_seen() const { return thread_s > 0 && unseen_s <= most_unseen * time_s; }
    double imbalance_s() const { return std::max(0.0, longest_s - mean_busy_s); }
    double balance() const { return longest_s > 0 ? std::min(1.0, mean_busy_s / longest_s) : 1; }

    void add(const ParallelSums &other)
    {
        regions += other.regions;
        threads = std::max(threads, other.threads);
        time_s += other.time_s;
        mpi_s += other.mpi_s;
        thread_s += other.thread_s;
        busy_s += other.busy_s;
        mean_busy_s += other.mean_busy_s;
        longest_s += other.longest_s;
        unseen_s += other.unseen_s;
    }
};

// Of a live file, or a hostile one, a part may be larger than the whole.
ParallelSums sums_of(const mprof_parallel_region &record, const TickClock &clock)
{
    const auto seconds = [&](uint64_t ticks) {
        return static_cast<double>(ticks) * clock.seconds_per_tick();
    };
    ParallelSums sums;
    sums.regions = record.regions;
    sums.threads = record.threads;
    sums.time_s = seconds(record.ticks);
    sums.mpi_s = std::min(sums.time_s, seconds(record.mpi_ticks));
    sums.thread_s = seconds(record.thread_ticks);
    sums.busy_s = std::min(sums.thread_s, seconds(record.busy_ticks));
    const bool has_tasks = (record.flags & MPROF_PARALLEL_TASKS) != 0;
    const double threads = has_tasks || sums.time_s <= 0
                               ? std::max(1.0, static_cast<double>(record.threads))
                               : std::max(1.0, sums.thread_s / sums.time_s);
    sums.mean_busy_s = sums.busy_s / threads;
    sums.longest_s = std::min(sums.time_s, seconds(record.longest_ticks));
    if (has_tasks)
        sums.unseen_s = std::max(0.0, sums.time_s - sums.thread_s / threads);
    return sums;
}

OpenmpSource source_of(uint32_t source)
{
    switch (source) {
    case MPROF_PARALLEL_OMPT:
        return OpenmpSource::ompt;
    case MPROF_PARALLEL_LIBGOMP:
        return OpenmpSource::libgomp;
    case MPROF_PARALLEL_OTHER_TOOL:
        return OpenmpSource::other_tool;
    default:
        return OpenmpSource::none;
    }
}

// Without what names say of compilers' functions for regions: "solve [OpenMP]".
std::string source_name(const std::string &symbol)
{
    return symbol.substr(0, symbol.find(" [OpenMP]"));
}

struct PlaceSum {
    ParallelRow row;
    ParallelSums sums;
};

// All ranks together.
struct RunSum {
    ParallelSums sums;
    double serial_s = 0, serial_mpi_s = 0;
    double capacity_s = 0;  // threads x wallclock of the run
    double useful_s = 0;    // of all threads
    double wallclock_s = 0;
};

void add_rank(const ParallelSums &sums, const RankMeasure &rank, double run_wallclock_s,
              RunSum &run)
{
    const double computing_s = std::max(0.0, sums.time_s - sums.mpi_s);
    const double serial_s = std::max(0.0, rank.compute_s - computing_s);
    run.sums.add(sums);
    run.serial_s += serial_s;
    run.serial_mpi_s += std::max(0.0, rank.mpi_thread_s - sums.mpi_s);
    run.capacity_s += static_cast<double>(std::max<uint64_t>(1, sums.threads)) * run_wallclock_s;
    run.useful_s += serial_s + sums.busy_s;
    run.wallclock_s += rank.wallclock_s;
}

// Of the samples of a rank's computing, those in the OpenMP library; none: there are too few.
std::optional<double> share_in_library(const RankMeasure &rank)
{
    std::set<uint32_t> slots;
    for (const ModuleSlot &module : rank.file->modules)
        if (is_openmp_library(module.path))
            slots.insert(module.slot);
    uint64_t all = 0, in_library = 0;
    for (const ThreadRecord &thread : rank.file->threads)
        for (const mprof_cpu_sample &sample : thread.cpu_samples) {
            all += sample.samples;
            in_library += slots.contains(sample.module) ? sample.samples : 0;
        }
    if (all < verdict_thresholds.hot_spot_samples)
        return std::nullopt;
    return static_cast<double>(in_library) / static_cast<double>(all);
}

// Of threads that run tasks unseen: as busy as the first one is by its samples, while they are on
// CPUs. A rank that has few samples hardly is.
KnownSeconds busy_by_samples(const RankMeasure &rank, const ParallelSums &sums, const RankRow &row)
{
    const double share = share_in_library(rank).value_or(0);
    const double inside_s = sums.time_s - sums.mpi_s;
    if (!row.on_cpu_s || !row.run_cpu_s || rank.compute_s <= 0 || inside_s <= 0)
        return std::nullopt;
    const double first_s = *row.on_cpu_s * std::min(1.0, inside_s / rank.compute_s);
    const double others_s = std::clamp(*row.run_cpu_s - *row.on_cpu_s, 0.0,
                                       inside_s * (static_cast<double>(sums.threads) - 1));
    const double busy = first_s > 0 ? 1 - share * *row.on_cpu_s / first_s : 0;
    return (first_s + others_s) * std::clamp(busy, 0.0, 1.0);
}

void note_team(const RankMeasure &rank, const ParallelSums &sums, RankRow &row)
{
    if (sums.regions == 0)
        return;
    row.team_threads = sums.threads;
    row.parallel_s = sums.time_s;
    if (!sums.is_seen()) {
        row.parallel_busy_s = busy_by_samples(rank, sums, row);
        return;
    }
    row.parallel_busy_s = sums.busy_s;
    row.thread_balance = sums.balance();
}

ParallelRow finished_row(PlaceSum &sum, double wallclock_s)
{
    ParallelRow &row = sum.row;
    row.regions = sum.sums.regions;
    row.threads = sum.sums.threads;
    row.time_s = sum.sums.time_s;
    row.mpi_s = sum.sums.mpi_s;
    row.wall_percent = wallclock_s > 0 ? 100 * row.time_s / wallclock_s : 0;
    if (sum.sums.is_seen()) {
        row.busy_s = sum.sums.busy_s;
        row.busiest_s = sum.sums.longest_s;
        row.busy_threads = row.time_s > 0 ? sum.sums.busy_s / row.time_s : 0;
        row.thread_balance = sum.sums.balance();
        row.imbalance_s = sum.sums.imbalance_s();
    }
    return std::move(row);
}

// Where the time of threads that are not busy goes, the largest part.
std::string idle_words(const OpenmpFacts &facts, const std::vector<FunctionRow> &functions)
{
    const auto threads = static_cast<double>(*facts.threads);
    const double in_mpi_s = threads * *facts.serial_mpi_s;
    const double serial_s = (threads - 1) * *facts.serial_s;
    const double uneven_s = threads * *facts.imbalance_s;
    // In regions, what is not because one thread is busy longer.
    const double idle_s = (1 - facts.region_efficiency.value_or(1)) * facts.parallel_s.value_or(0);
    const double in_turn_s = threads * std::max(0.0, idle_s - *facts.imbalance_s);
    const double most_s = std::max({in_mpi_s, serial_s, uneven_s, in_turn_s});
    if (most_s <= 0)
        return "";
    if (most_s == in_mpi_s && !functions.empty())
        return fmt::format(
            ": most of the rest is lost while the first one is in {}, outside parallel regions",
            functions.front().function);
    if (most_s == serial_s)
        return ": most of the rest is lost while the first one computes alone, outside parallel "
               "regions";
    if (most_s == in_turn_s)
        return ": most of the rest is lost while they wait for each other in parallel regions";
    return ": most of the rest is lost while they wait for the busiest one";
}

std::string sentence_of(const OpenmpFacts &facts, const std::vector<FunctionRow> &functions)
{
    if (facts.source == OpenmpSource::other_tool)
        return "Another tool uses OpenMP's tool interface, so mprof does not see parallel regions.";
    if (!facts.threads)
        return "";
    if (!facts.busy_threads)
        return fmt::format("{} per rank; how busy they are is not known, because they run tasks of "
                           "libgomp.",
                           plural(*facts.threads, "thread"));
    const bool all = *facts.busy_threads >=
                     verdict_thresholds.busy_threads_share * static_cast<double>(*facts.threads);
    return fmt::format("{} per rank, {:.1f} busy on average{}.", plural(*facts.threads, "thread"),
                       *facts.busy_threads, all ? "" : idle_words(facts, functions));
}

void fill_facts(const RunSum &run, double ranks, double mpi_efficiency, OpenmpFacts &facts)
{
    const ParallelSums &sums = run.sums;
    facts.regions = sums.regions;
    if (sums.regions > 0 && ranks > 0) {
        facts.threads = sums.threads;
        facts.parallel_s = (sums.time_s - sums.mpi_s) / ranks;
        facts.parallel_mpi_s = sums.mpi_s / ranks;
        facts.serial_s = run.serial_s / ranks;
        facts.serial_mpi_s = run.serial_mpi_s / ranks;
    }
    if (sums.regions > 0 && sums.is_seen() && run.wallclock_s > 0) {
        facts.busy_threads = run.useful_s / run.wallclock_s;
        facts.imbalance_s = sums.imbalance_s() / ranks;
        facts.thread_balance = sums.balance();
        facts.region_efficiency = sums.busy_s / sums.thread_s;
        facts.mpi_efficiency = mpi_efficiency;
        facts.hybrid_efficiency = std::min(1.0, run.useful_s / run.capacity_s);
        if (*facts.mpi_efficiency > 0)
            facts.openmp_efficiency = *facts.hybrid_efficiency / *facts.mpi_efficiency;
    }
}

}  // namespace

void analyse_teams(const RankMeasures &ranks, std::vector<RankRow> &rows)
{
    for (size_t r = 0; r < ranks.size(); r++) {
        ParallelSums of_rank;
        for (const mprof_parallel_region &record : ranks[r].file->parallel_regions)
            if (record.regions > 0)
                of_rank.add(sums_of(record, ranks[r].clock));
        note_team(ranks[r], of_rank, rows[r]);
    }
}

OpenmpRows analyse_openmp(const RankMeasures &ranks, const Merged &merged, const RunFacts &facts,
                          const Totals &totals, const std::vector<FunctionRow> &functions)
{
    OpenmpRows rows;
    std::map<std::string, PlaceSum> places;
    RunSum run;
    for (size_t r = 0; r < ranks.size(); r++) {
        ParallelSums of_rank;
        std::set<std::string> seen;
        for (const mprof_parallel_region &record : ranks[r].file->parallel_regions) {
            rows.facts.source = std::max(rows.facts.source, source_of(record.source));
            if (record.regions == 0)
                continue;
            const ParallelSums sums = sums_of(record, ranks[r].clock);
            const Frame &frame =
                merged.paths.frame_at(*ranks[r].file, r, record.module, record.offset);
            of_rank.add(sums);
            PlaceSum &place = places[frame.place()];
            place.sums.add(sums);
            place.row.place = frame.place();
            place.row.function = without_arguments(source_name(frame.symbol));
            place.row.source = source_of(record.source);
            if (seen.insert(frame.place()).second)
                place.row.ranks++;
        }
        add_rank(of_rank, ranks[r], facts.wallclock_s, run);
    }
    for (auto &[key, sum] : places) {
        rows.facts.unseen_task_regions += sum.sums.unseen_s > 0 ? 1 : 0;
        rows.regions.push_back(finished_row(sum, totals.wallclock_s));
    }
    std::stable_sort(
        rows.regions.begin(), rows.regions.end(),
        [](const ParallelRow &a, const ParallelRow &b) { return a.time_s > b.time_s; });
    fill_facts(run, static_cast<double>(ranks.size()), totals.parallel_efficiency, rows.facts);
    rows.facts.sentence = sentence_of(rows.facts, functions);
    return rows;
}

}  // namespace mprof
