// The table of contents of the analysis. What a part needs is in its call: a list that is not
// filled yet has no name here that could be given to it.
#include "analyse/analyse_profile.h"

#include "analyse/analysis_parts.h"
#include "lint/find_lints.h"
#include "measure/for_all_ranks.h"
#include "measure/rank_measure.h"
#include "merge/work_on_all.h"
#include "report/number_text.h"
#include "symbols/source_lines.h"

#include <algorithm>
#include <set>
#include <string>

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

// Each rank's row has what they tell.
void drop_samples(Profile &profile)
{
    for (RankFile &file : profile.ranks)
        file.samples.clear();
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
            for (const PackedTable<mprof_sample_path> *table :
                 {&thread.sample_paths, &thread.fault_paths, &thread.early_paths})
                for (const mprof_sample_path &path : *table)
                    paths.callers_of(file, r, path);
        for (const mprof_parallel_region &region : file.parallel_regions)
            paths.frame_at(file, r, region.module, region.offset);
    }
}

std::optional<uint64_t> now_of(const Observation &observation)
{
    return observation.running ? std::optional(observation.realtime_ns) : std::nullopt;
}

// Where the lists of a part are in the Report.

void fill_partners(const RankMeasures &ranks, Report &report)
{
    PartnerRows partners = analyse_partners(ranks, report.quality);
    Topology topology = analyse_topology(report.ranks, partners.matrix);
    report.matrix = std::move(partners.matrix);
    report.top_partners = std::move(partners.top);
    report.nodes = std::move(topology.nodes);
    report.node_pairs = std::move(topology.pairs);
    report.distances = std::move(topology.distances);
    report.partner_remarks = std::move(topology.remarks);
}

void fill_messages(MessageRows rows, Report &report)
{
    report.messages = std::move(rows.messages);
    report.received = std::move(rows.received);
    report.size_bins = std::move(rows.size_bins);
}

void fill_by_rank(ByRankRows rows, Report &report)
{
    report.rank_functions = std::move(rows.functions);
    report.rank_callsites = std::move(rows.callsites);
}

void fill_openmp(OpenmpRows rows, Report &report)
{
    report.openmp = std::move(rows.facts);
    report.parallel_regions = std::move(rows.regions);
}

void fill_nccl(NcclRows rows, Report &report)
{
    report.nccl_communicators = std::move(rows.communicators);
    report.nccl_calls = std::move(rows.calls);
    report.nccl_partners = std::move(rows.partners);
    report.nccl_functions = std::move(rows.functions);
}

void fill_segments(SegmentRows rows, Report &report)
{
    report.segments = std::move(rows.segments);
    report.hotspots = std::move(rows.hot_spots);
    report.hot_lines = std::move(rows.hot_lines);
    report.fault_places = std::move(rows.fault_places);
    report.early_places = std::move(rows.early_places);
    report.early_functions = std::move(rows.early_functions);
    report.hot_libraries = std::move(rows.hot_libraries);
    report.stacks = std::move(rows.stacks);
    report.work_functions = std::move(rows.work_functions);
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
    report.run = analyse_run(profile, ranks);
    if (report.run.end == RunEnd::unfinished)
        report.run.end = observation.end;
    report.communicators = analyse_communicators(ranks, merged);
    do_both(
        ranks.size(), [&] { find_lints(ranks, merged, mismatches, report); },
        [&] {
            analyse_ranks(ranks, report);
            divide_mpi_time(ranks, merged.names, report.ranks);
            report.regions = analyse_regions(ranks, report.totals, report.quality);
        });
    drop_samples(profile);
    const Totals &totals = report.totals;
    analyse_callsites(ranks, merged, waits, report);
    const std::vector<CallsiteRow> &callsites = report.callsites;
    analyse_teams(ranks, report.ranks);
    RunTimes times = analyse_time_line(ranks, merged, waits, report);
    drop_time_bins(profile);
    do_both(
        ranks.size(), [&] { fill_partners(ranks, report); },
        [&] {
            report.functions = analyse_functions(ranks, merged.names, totals, report.ranks);
            fill_messages(analyse_messages(ranks, merged.names, totals), report);
        });
    const std::vector<FunctionRow> &functions = report.functions;
    if (detail == Detail::by_rank)
        fill_by_rank(analyse_by_rank(ranks, merged, functions, callsites), report);
    report.files = analyse_files(ranks, merged);
    report.plain_files = analyse_plain_files(ranks, totals);
    fill_openmp(analyse_openmp(ranks, merged, report.run, totals, functions), report);
    report.gpu_sites = analyse_gpu_sites(ranks, merged);
    report.gpu_buffers = analyse_gpu_buffers(ranks, merged);
    report.gpu_work = analyse_gpu_work(ranks);
    report.gpu_time = analyse_gpu_time(ranks);
    fill_nccl(analyse_nccl(ranks, merged, waits.nccl, totals), report);
    report.nccl_time = analyse_nccl_time(waits.nccl, report.time);
    fill_segments(analyse_segments(ranks, merged), report);
    analyse_pickling(ranks, merged, report);
    analyse_counters(ranks, report);
    analyse_waits(waits, ranks, report);
    analyse_shared_memory(ranks, merged, report);
    report.time_parts = analyse_time(totals, report.ranks);
    analyse_energy(report);
    report.memory = analyse_memory(report.ranks);
    report.worlds = analyse_worlds(profile);
    symbols.keep_lines();
    analyse_quality(profile, ranks, report);
    analyse_standing(ranks, merged, observation, report);
    analyse_placement(ranks, report);
    report.bindings = analyse_bindings(report.ranks);
    analyse_programs(waits, ranks, merged.names, report);
    report.causes = analyse_causes(waits, ranks, merged, report);
    analyse_accounts(std::move(times), report);
    analyse_verdict(report);
    remark_on_counters(ranks, report);
    report.verdict.cards = analyse_cards(report);
    return report;
}

// ---- source lines -------------------------------------------------------------------------------

// Only what the page has: its call sites are those with most time, which come first.

namespace {

constexpr size_t most_places = 1000;

// Also to `own`, if it is a file of the program.
template <class Rows>
void add_places(const Rows &rows, SourceFiles &files, std::set<std::string> &own)
{
    for (size_t i = 0; i < std::min(most_places, rows.size()); i++)
        if (const Frame &site = rows[i].site; !site.is_jit()) {
            files.add(site.file, site.line, site.module);
            if (!site.is_of_system() && !site.module_name().starts_with("libmprof"))
                own.insert(site.file);
        }
}

}  // namespace

void add_source_rows(const SymbolOptions &options, Report &report)
{
    SourceFiles files(options.sysroot, seconds_of_iso(report.run.start));
    std::set<std::string> own;
    add_places(report.callsites, files, own);
    add_places(report.hot_lines, files, own);
    report.sources.emplace();
    for (const auto &[name, file] : files.files())
        report.sources->push_back({file.file, file.problem, file.lines, !own.contains(name)});
}

}  // namespace mprof
