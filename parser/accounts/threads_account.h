// The account of threads: what the run would take less if the threads of a rank shared its work.
#pragma once

#include "accounts/run_times.h"
#include "report/report.h"

#include <vector>

namespace mprof {

struct ThreadsSaving {
    double gain_s = 0;
    double low_s = 0;               // at least
    std::vector<double> by_rank_s;  // as report.ranks; empty: it is of teams, and of no rank
};

// `so_far` knows whether CPUs are short, and how long the run is.
ThreadsSaving find_threads_saving(const RunTimes &times, const Report &report,
                                  const Accounts &so_far);

}  // namespace mprof
