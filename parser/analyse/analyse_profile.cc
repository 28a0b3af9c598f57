// The table of contents of the analysis.
#include "analyse/analyse_profile.h"

#include "analyse/analysis_parts.h"

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace mprof {

Report analyse_profile(const Profile &profile)
{
    Report report;
    report.version = MPROF_VERSION;
    const RankMeasures ranks = measure_ranks(profile);
    analyse_run(profile, ranks, report);
    analyse_partners(ranks, report);
    analyse_ranks(ranks, report);
    analyse_functions(ranks, report);
    analyse_messages(ranks, report);
    analyse_communicators(ranks, report);
    analyse_regions(ranks, report);
    analyse_worlds(profile, report);
    analyse_quality(profile, ranks, report);
    analyse_verdict(report);
    return report;
}

}  // namespace mprof
