// The sums of runs as OpenMetrics text: what Prometheus and others read from a file or a server.
//
// One metric per number of the report's "totals", with the name and unit of its key: wait_s is
// mprof_wait_seconds, comm_percent is mprof_comm_ratio (0 to 1). Labels: run and program.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace mprof {

// What is kept of a run, so that thousands of them take little memory.
struct RunMetrics {
    RunFacts run;
    Totals totals;
    VerdictClass verdict_class = VerdictClass::unknown;
};

RunMetrics metrics_of(const Report &report);
std::string openmetrics_text(const std::vector<RunMetrics> &runs);

}  // namespace mprof
