// The parts of the analysis, in the order in which they run: each fills its own fields of the
// Report and may read what the parts before it filled. analyse_profile.cc is the table of contents.
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

void analyse_run(const Profile &profile, const RankMeasures &ranks, Report &report);  // run
void analyse_partners(const RankMeasures &ranks, Report &report);  // matrix, top_partners
void analyse_ranks(const RankMeasures &ranks, Report &report);     // ranks, totals, summary
void sum_ranks(Report &report);  // of it totals, summary: all that ranks alone tell
// ranks[].transfer_s, file_s, startup_s
void divide_mpi_time(const RankMeasures &ranks, const MergedNames &names, Report &report);
void analyse_time(Report &report);  // time_parts, of all these
// time: after the callsites; and what the accounts are made of, empty if there are no time bins
RunTimes analyse_time_line(const RankMeasures &ranks, const Merged &merged, const Waits &waits,
                           Report &report);
void analyse_accounts(RunTimes times, Report &report);  // accounts: after all but the verdict
// functions, ranks[].functions_s
void analyse_functions(const RankMeasures &ranks, const MergedNames &names, Report &report);
// messages, received, size_bins
void analyse_messages(const RankMeasures &ranks, const MergedNames &names, Report &report);
// communicators; those that are the same of different ranks become one in `merged`
void analyse_communicators(const RankMeasures &ranks, Merged &merged, Report &report);
// callsites, call_lines, ranks[].in_call_place
void analyse_callsites(const RankMeasures &ranks, const Merged &merged, const Waits &waits,
                       Report &report);
// rank_functions, rank_callsites
void analyse_by_rank(const RankMeasures &ranks, const Merged &merged, Report &report);
void analyse_segments(const RankMeasures &ranks, const Merged &merged, Report &report);  // segments
void analyse_files(const RankMeasures &ranks, const Merged &merged, Report &report);     // files
// ranks[].team_threads and what else concerns their threads
void analyse_teams(const RankMeasures &ranks, Report &report);
// openmp, parallel_regions
void analyse_openmp(const RankMeasures &ranks, const Merged &merged, Report &report);
void analyse_topology(Report &report);  // nodes, node_pairs, distances, partner_remarks
void analyse_regions(const RankMeasures &ranks, Report &report);   // regions
void analyse_counters(const RankMeasures &ranks, Report &report);  // counters, metrics
// Of callsites and totals what stays within nodes; after the waits, which tell what messages cost
void analyse_shared_memory(const RankMeasures &ranks, const Merged &merged, Report &report);
// Waiting that is not a sum over entries: whom others waited for, transfers, quality.wait_source
// and relatives
void analyse_waits(const Waits &waits, const RankMeasures &ranks, Report &report);
// programs, program_waits; before the causes, which compare ranks of the same program
void analyse_programs(const Waits &waits, const RankMeasures &ranks, const MergedNames &names,
                      Report &report);
// causes
void analyse_causes(const Waits &waits, const RankMeasures &ranks, const Merged &merged,
                    Report &report);
void analyse_memory(Report &report);                    // memory
void analyse_worlds(Profile &profile, Report &report);  // worlds
void analyse_standing(const RankMeasures &ranks, const Merged &merged,
                      const Observation &observation, Report &report);  // standing
void analyse_quality(const Profile &profile, const RankMeasures &ranks, Report &report);  // quality
void analyse_verdict(Report &report);                                                     // verdict
void analyse_cards(Report &report);  // verdict.cards

// Remarks, and the facts of `nodes`.
void analyse_placement(const RankMeasures &ranks, Report &report);
void analyse_bindings(Report &report);
void remark_on_counters(const RankMeasures &ranks, Report &report);

// What the samples tell of a rank. For a rank that did not finish they also give what is otherwise
// known at the end only.
void note_samples(const RankMeasure &rank, RankRow &row);

// The rank that others waited for most at the place of the row.
void note_last_rank(const Waits &waits, CallPlace place, const RankMeasures &ranks,
                    CallsiteRow &row);

// "0 2-5", at most eight of them.
std::string ranges_text(const std::vector<MissingRanks> &ranges);

}  // namespace mprof
