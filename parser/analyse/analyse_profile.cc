// The table of contents of the analysis.
#include "analyse/analyse_profile.h"

#include "analyse/analysis_parts.h"
#include "lint/find_lints.h"
#include "measure/calls_in_progress.h"
#include "measure/for_all_ranks.h"
#include "merge/work_on_all.h"

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace mprof {
namespace {

// The waits now hold what the journals tell. Finding the waits took much memory in small pieces.
// The next parts need large pieces, for which the C library would not use this memory again. Of a
// rank that did not end, standing/ needs to know how many collectives each journal has.
void drop_journals(Profile &profile)
{
    for (RankFile &file : profile.ranks)
        if (file.finished())
            std::vector<JournalRecord>().swap(file.journals);
        else
            for (JournalRecord &journal : file.journals)
                std::vector<uint32_t>().swap(journal.items);
    give_free_memory_back();
}

// The time line is made. What follows needs no bins, but much memory of its own.
void drop_time_bins(Profile &profile)
{
    for (RankFile &file : profile.ranks) {
        file.time_bins.clear();
        file.bins_pool.reset();
    }
}

// What is damaged in them is left out.
PlaceNames kept_names(const Profile &profile)
{
    PlaceNames names;
    for (const std::vector<std::byte> &content : profile.names)
        names.decode(content);
    return names;
}

void look_up_all(const Profile &profile, SymbolLookup &symbols)
{
    RankMeasures ranks(profile.ranks.size());  // call paths need no more of them than the file
    for (size_t r = 0; r < ranks.size(); r++)
        ranks[r].file = &profile.ranks[r];
    CallPaths paths(ranks, symbols);
    for (uint32_t node = 1; node < paths.node_count(); node++)
        paths.frames_of(node);
    for (size_t r = 0; r < ranks.size(); r++) {
        const RankFile &file = *ranks[r].file;
        for (const ThreadRecord &thread : file.threads)
            for (const mprof_cpu_sample &sample : thread.cpu_samples)
                paths.frames_of_sample(file, r, sample);
        for (const ThreadRecord &thread : file.threads)
            for (const mprof_sample_path &path : thread.sample_paths)
                paths.callers_of(file, r, path);
        for (const mprof_parallel_region &region : file.parallel_regions)
            paths.frame_at(file, r, region.module, region.offset);
    }
}

std::optional<uint64_t> now_of(const Observation &observation)
{
    return observation.running ? std::optional(observation.realtime_ns) : std::nullopt;
}

}  // namespace

std::vector<std::byte> names_of_places(const Profile &profile, const SymbolOptions &symbol_options,
                                       LinesKept lines)
{
    const PlaceNames kept = kept_names(profile);
    SymbolLookup symbols(symbol_options, kept);
    look_up_all(profile, symbols);
    for (const Profile &world : profile.other_worlds)
        look_up_all(world, symbols);
    symbols.keep_lines();
    PlaceNames names = symbols.found();
    if (lines != LinesKept::all)
        names.drop_lines(lines == LinesKept::known ? kept : PlaceNames());
    return names.encode();
}

Report analyse_profile(Profile profile, const SymbolOptions &symbol_options,
                       const Observation &observation, Detail detail)
{
    Report report;
    report.version = MPROF_VERSION;
    RankMeasures ranks = measure_ranks(profile);
    SymbolLookup symbols(symbol_options, kept_names(profile));
    CallPaths paths(ranks, symbols);
    Merged merged{MergedNames(ranks), paths, {}};
    Waits waits;
    std::vector<CollectiveMismatch> mismatches;
    do_both(
        ranks.size(), [&] { waits = find_waits(ranks, merged.names, paths); },
        [&] { mismatches = find_mismatches(ranks, merged.names, observation.realtime_ns); });
    drop_journals(profile);
    count_calls_in_progress(ranks, now_of(observation), observation.gone);
    analyse_run(profile, ranks, report);
    if (report.run.end == RunEnd::unfinished)
        report.run.end = observation.end;
    analyse_communicators(ranks, merged, report);
    do_both(
        ranks.size(), [&] { find_lints(ranks, merged, mismatches, report); },
        [&] {
            analyse_ranks(ranks, report);
            divide_mpi_time(ranks, merged.names, report);
            analyse_regions(ranks, report);
        });
    analyse_callsites(ranks, merged, waits, report);
    analyse_teams(ranks, report);
    RunTimes times = analyse_time_line(ranks, merged, waits, report);
    drop_time_bins(profile);
    do_both(
        ranks.size(),
        [&] {
            analyse_partners(ranks, report);
            analyse_topology(report);
        },
        [&] {
            analyse_functions(ranks, merged.names, report);
            analyse_messages(ranks, merged.names, report);
        });
    if (detail == Detail::by_rank)
        analyse_by_rank(ranks, merged, report);
    analyse_files(ranks, merged, report);
    analyse_openmp(ranks, merged, report);
    analyse_segments(ranks, merged, report);
    analyse_counters(ranks, report);
    analyse_waits(waits, ranks, report);
    analyse_shared_memory(ranks, merged, report);
    analyse_time(report);
    analyse_memory(report);
    analyse_worlds(profile, report);
    symbols.keep_lines();
    analyse_quality(profile, ranks, report);
    analyse_standing(ranks, merged, observation, report);
    analyse_placement(ranks, report);
    analyse_bindings(report);
    analyse_programs(waits, ranks, merged.names, report);
    analyse_causes(waits, ranks, merged, report);
    analyse_accounts(std::move(times), report);
    analyse_verdict(report);
    remark_on_counters(ranks, report);
    analyse_cards(report);
    return report;
}

}  // namespace mprof
