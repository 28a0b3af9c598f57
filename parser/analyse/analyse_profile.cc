// The table of contents of the analysis.
#include "analyse/analyse_profile.h"

#include "analyse/analysis_parts.h"

#ifndef MPROF_VERSION
#define MPROF_VERSION "unknown"
#endif

namespace mprof {

Report analyse_profile(Profile profile, const SymbolOptions &symbol_options,
                       const Observation &observation)
{
    Report report;
    report.version = MPROF_VERSION;
    RankMeasures ranks = measure_ranks(profile);
    SymbolLookup symbols(symbol_options);
    CallPaths paths(ranks, symbols);
    Merged merged{MergedNames(ranks), paths, {}};
    const Waits waits = find_waits(ranks, merged.names, paths);
    for (RankFile &file : profile.ranks)
        file.journals = {};  // all that they tell is in `waits`
    analyse_run(profile, ranks, report);
    analyse_partners(ranks, report);
    analyse_ranks(ranks, report);
    analyse_functions(ranks, merged.names, report);
    analyse_messages(ranks, merged.names, report);
    analyse_topology(report);
    analyse_communicators(ranks, merged, report);
    analyse_callsites(ranks, merged, waits, report);
    analyse_segments(ranks, merged, report);
    analyse_regions(ranks, report);
    analyse_counters(ranks, report);
    analyse_waits(waits, ranks, report);
    analyse_memory(report);
    analyse_worlds(profile, report);
    analyse_standing(ranks, merged, observation, report);
    analyse_quality(profile, ranks, report);
    analyse_placement(ranks, report);
    analyse_causes(waits, ranks, merged, report);
    analyse_verdict(report);
    remark_on_counters(ranks, report);
    analyse_cards(report);
    return report;
}

}  // namespace mprof
