// The parts of the analysis, in the order in which they run: each fills its own fields of the
// Report and may read what the parts before it filled. analyse_profile.cc is the table of contents.
#pragma once

#include "analyse/rank_measure.h"
#include "analyse/report.h"

#include <vector>

namespace mprof {

using RankMeasures = std::vector<RankMeasure>;

void analyse_run(const Profile &profile, const RankMeasures &ranks, Report &report);  // run
void analyse_partners(const RankMeasures &ranks, Report &report);   // matrix, top_partners
void analyse_ranks(const RankMeasures &ranks, Report &report);      // ranks, totals, summary
void analyse_functions(const RankMeasures &ranks, Report &report);  // functions
void analyse_messages(const RankMeasures &ranks, Report &report);   // messages, received, size_bins
void analyse_communicators(const RankMeasures &ranks, Report &report);  // communicators
void analyse_regions(const RankMeasures &ranks, Report &report);        // regions
void analyse_worlds(const Profile &profile, Report &report);            // worlds
void analyse_quality(const Profile &profile, const RankMeasures &ranks, Report &report);  // quality
void analyse_verdict(Report &report);                                                     // verdict

// "0 2-5", at most eight of them.
std::string ranges_text(const std::vector<MissingRanks> &ranges);

}  // namespace mprof
