// A run of mprof tune: the command under the profiler, in a process group of its own, with its
// output kept aside. Its time is the wallclock of the profiled program, not the launcher's.
#pragma once

#include "main/commands.h"
#include "main/run/child_process.h"
#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct TimedRun {
    ChildEnd end;
    std::string problem;                // why it has no time, in words; "" = it has
    std::string last_words;             // the last line that it printed
    double seconds = 0;                 // of all programs that it ran
    std::optional<Report> report;       // of the last one
    std::vector<std::string> profiles;  // that it left
};

TimedRun time_run(const RunOptions &options, const ChildRules &rules);

// Of a run that is over.
void remove_profiles(const std::vector<std::string> &profiles);

}  // namespace mprof
