// The parts of the analysis. analyse_profile.cc calls them and is the table of contents. A part
// that makes rows of its own takes what it reads as const and returns them, so the compiler knows
// what must be there before. Parts that add to rows of others say to which, and what they come
// after.
#pragma once

#include "accounts/run_times.h"
#include "analyse/analyse_profile.h"
#include "measure/merged_profile.h"
#include "measure/rank_measure.h"
#include "report/report.h"
#include "waits/waits.h"

#include <vector>

namespace mprof {

using RankMeasures = std::vector<RankMeasure>;

// ---- parts that make rows: what they are given is all that they know --------------------------

RunFacts analyse_run(const Profile &profile, const RankMeasures &ranks);
// Those that are the same of different ranks become one in `merged`.
std::vector<CommunicatorRow> analyse_communicators(const RankMeasures &ranks, Merged &merged);
std::vector<RegionRow> analyse_regions(const RankMeasures &ranks, const Totals &totals,
                                       Quality &quality);
struct PartnerRows {
    std::vector<MatrixCell> matrix, top;
};
// What is in no row is counted in `quality`.
PartnerRows analyse_partners(const RankMeasures &ranks, Quality &quality);
struct Topology {
    std::vector<NodeRow> nodes;
    std::vector<NodePair> pairs;
    std::vector<DistanceRow> distances;
    std::vector<std::string> remarks;
};
Topology analyse_topology(const std::vector<RankRow> &ranks, const std::vector<MatrixCell> &matrix);
// Fills functions_s of the ranks' rows, in the order of its own rows.
std::vector<FunctionRow> analyse_functions(const RankMeasures &ranks, const MergedNames &names,
                                           const Totals &totals, std::vector<RankRow> &rank_rows);
struct MessageRows {
    std::vector<MessageRow> messages;
    std::vector<ReceivedRow> received;
    std::vector<SizeBinRow> size_bins;
};
MessageRows analyse_messages(const RankMeasures &ranks, const MergedNames &names,
                             const Totals &totals);
struct ByRankRows {
    std::vector<RankFunctionRow> functions;
    std::vector<RankCallsiteRow> callsites;
};
ByRankRows analyse_by_rank(const RankMeasures &ranks, const Merged &merged,
                           const std::vector<FunctionRow> &functions,
                           const std::vector<CallsiteRow> &callsites);
std::vector<FileRow> analyse_files(const RankMeasures &ranks, const Merged &merged);
// "out.0017.dat" becomes "out.#.dat".
std::string name_without_numbers(const std::string &name);
std::vector<PlainFileRow> analyse_plain_files(const RankMeasures &ranks, const Totals &totals);
struct OpenmpRows {
    OpenmpFacts facts;
    std::vector<ParallelRow> regions;
};
OpenmpRows analyse_openmp(const RankMeasures &ranks, const Merged &merged, const RunFacts &facts,
                          const Totals &totals, const std::vector<FunctionRow> &functions);
// Where the driver of a GPU was called: the innermost frame with a source line, in words.
std::string gpu_place(CallPaths &paths, uint32_t node);
// The kernel of that row of the file, as a reader knows it; "" = not known.
std::string gpu_kernel_name(const RankFile &file, uint32_t row);
std::vector<GpuSiteRow> analyse_gpu_sites(const RankMeasures &ranks, const Merged &merged);
std::vector<GpuBufferRow> analyse_gpu_buffers(const RankMeasures &ranks, const Merged &merged);
std::vector<GpuWorkRow> analyse_gpu_work(const RankMeasures &ranks);
std::vector<GpuTimeRow> analyse_gpu_time(const RankMeasures &ranks);
struct NcclRows {
    std::vector<NcclCommRow> communicators;
    std::vector<NcclCallRow> calls;
    std::vector<NcclPartnerRow> partners;
    std::vector<NcclFunctionRow> functions;
};
NcclRows analyse_nccl(const RankMeasures &ranks, const Merged &merged, const NcclWaits &waits,
                      const Totals &totals);
// The rows by bin of the run, and what phases have of them.
std::vector<NcclTimeRow> analyse_nccl_time(const NcclWaits &waits, TimeLine &time);
struct SegmentRows {
    std::vector<SegmentRow> segments;
    std::vector<HotSpotRow> hot_spots;
    std::vector<HotPlaceRow> hot_lines, hot_libraries;
    std::vector<FaultRow> fault_places;
    std::vector<EarlyRow> early_places;
    std::vector<WorkFunctionRow> early_functions;
    std::vector<StackRow> stacks;
    std::vector<WorkFunctionRow> work_functions;
};
SegmentRows analyse_segments(const RankMeasures &ranks, const Merged &merged);
std::vector<TimePart> analyse_time(const Totals &totals, const std::vector<RankRow> &ranks);
// Fills run.energy_j, and the share of each part of the time.
void analyse_energy(Report &report);
std::vector<SummaryRow> analyse_memory(const std::vector<RankRow> &ranks);
std::vector<BindingRow> analyse_bindings(const std::vector<RankRow> &ranks);
std::vector<WorldRow> analyse_worlds(Profile &profile);

// ---- parts that add to rows of others: the ranks', the call sites', the remarks ----------------

void analyse_ranks(const RankMeasures &ranks, Report &report);  // ranks, totals, summary
void sum_ranks(Report &report);  // of it totals, summary: all that ranks alone tell
// transfer_s, file_s, startup_s of the ranks
void divide_mpi_time(const RankMeasures &ranks, const MergedNames &names,
                     std::vector<RankRow> &rows);
// callsites, call_lines, ranks[].in_call_place
void analyse_callsites(const RankMeasures &ranks, const Merged &merged, const Waits &waits,
                       Report &report);
// team_threads and what else concerns their threads
void analyse_teams(const RankMeasures &ranks, std::vector<RankRow> &rows);
// time: after the callsites; and what the accounts are made of, empty if there are no time bins
RunTimes analyse_time_line(const RankMeasures &ranks, const Merged &merged, const Waits &waits,
                           Report &report);
// pickling, pickling_s of the ranks: after the callsites
void analyse_pickling(const RankMeasures &ranks, Merged &merged, Report &report);
void analyse_counters(const RankMeasures &ranks, Report &report);  // counters, metrics
void remark_on_counters(const RankMeasures &ranks, Report &report);
// Waiting that is not a sum over entries: whom others waited for, transfers, quality.wait_source
// and relatives
void analyse_waits(const Waits &waits, const RankMeasures &ranks, Report &report);
// Of callsites and totals what stays within nodes; after the waits, which tell what messages cost
void analyse_shared_memory(const RankMeasures &ranks, const Merged &merged, Report &report);
void analyse_quality(const Profile &profile, const RankMeasures &ranks, Report &report);  // quality
void analyse_standing(const RankMeasures &ranks, const Merged &merged,
                      const Observation &observation, Report &report);  // standing
// Remarks, and the facts of `nodes`.
void analyse_placement(const RankMeasures &ranks, Report &report);

// ---- parts that read the whole: after all above, in this order ---------------------------------

// programs, program_waits
void analyse_programs(const Waits &waits, const RankMeasures &ranks, const MergedNames &names,
                      Report &report);
// Compares ranks of the same program.
std::vector<CauseRow> analyse_causes(const Waits &waits, const RankMeasures &ranks,
                                     const Merged &merged, const Report &report);
void analyse_accounts(RunTimes times, Report &report);  // accounts, the cost of phases
void analyse_verdict(Report &report);                   // verdict
std::vector<VerdictCard> analyse_cards(const Report &report);

// What the samples tell of a rank. For a rank that did not finish they also give what is otherwise
// known at the end only.
void note_samples(const RankMeasure &rank, RankRow &row);

// The rank that others waited for most at the place of the row.
void note_last_rank(const Waits &waits, CallPlace place, const RankMeasures &ranks,
                    CallsiteRow &row);

// "0 2-5", at most eight of them.
std::string ranges_text(const std::vector<MissingRanks> &ranges);

}  // namespace mprof
