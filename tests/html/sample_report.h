// Reports that never ran, for the tests of the page: a conjugate-gradient solver on any number of
// ranks, with everything that a Report can hold. There are variants of it that a page must cope
// with. The figures are deterministic and fit together: compute + MPI = wallclock, and parts add up
// to totals.
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace mprof_test {

// "slow node": one node computes 1.46 times as long; "healthy"; "bare": only what needs neither
// call sites, waiting, counters nor nodes; "no messages"; "no MPI time"; "missing ranks"; "killed";
// "coupled"; "hostile": names that try to leave their place; "long names"; "many callsites";
// "dense": everyone talks to everyone.
mprof::Report sample_report(uint32_t ranks, const std::string &variant);

const std::vector<std::string> &sample_variants();

}  // namespace mprof_test
