// What `mprof top` shows of a running job: the last few seconds, and where the ranks are now.
#pragma once

#include "report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace mprof {

struct LiveRow {
    std::string name;                   // a function, or a source line with its function
    double run_percent = 0;             // of the wallclock of all ranks since the start
    std::optional<double> now_percent;  // since the view before
    double calls_per_s = 0;             // since the view before, or else the start
};

struct LiveView {
    std::string headline;                   // "cg on 64 ranks, running, 312 s"
    std::string balance;                    // how the time is spread, in a sentence
    std::string waiting;                    // who waits for whom, "" while nobody waits for long
    std::vector<LiveRow> functions, lines;  // most time first
    std::vector<std::string> ranks;         // where they are, in sentences; most ranks first
};

// `before`: the report that the view before was made of.
LiveView make_live_view(const Report &now, const std::optional<Report> &before);

}  // namespace mprof
