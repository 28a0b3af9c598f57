// The whole analysis: from the rank files of one run to the Report.
#pragma once

#include "merge/profile.h"
#include "report/report.h"
#include "symbols/module_symbols.h"

#include <set>

namespace mprof {

// Whether the run was seen running, and when; else times end with its last sign of life.
struct Observation {
    bool looked = false;
    bool running = false;
    uint64_t realtime_ns = 0;         // when it was looked for; 0 = not
    std::set<uint32_t> gone = {};     // ranks whose process was looked for and is not there
    std::set<uint32_t> stopped = {};  // by a signal
    std::set<uint32_t> traced = {};   // by a debugger
    std::set<uint32_t> asleep = {};   // that neither run nor wait for a disk
    RunEnd end = RunEnd::unfinished;  // of unfinished ranks, as the batch system tells it
};

// Whether the report has rows of each rank by function and call site.
enum class Detail { of_the_run, by_rank };

enum class LinesKept {
    none,
    known,  // that came with the profile
    all
};

// Names of all places of the profile, of all its worlds, as a merged file has them; empty if none
// is found.
std::vector<std::byte> names_of_places(const Profile &profile, const SymbolOptions &symbol_options,
                                       LinesKept lines);

Report analyse_profile(Profile profile, const SymbolOptions &symbol_options = {},
                       const Observation &observation = {}, Detail detail = Detail::of_the_run);

// Reads source files of this machine, or below the sysroot. A file that has changed since the
// program was built gives no line, and says so.
void add_source_rows(const SymbolOptions &options, Report &report);

}  // namespace mprof
