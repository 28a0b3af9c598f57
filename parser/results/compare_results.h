// Compares what two runs with MPROF_RESULTS carried through MPI.
#pragma once

#include "merge/profile.h"
#include "results/results_comparison.h"
#include "symbols/module_symbols.h"

namespace mprof {

ResultsComparison compare_results(const Profile &a, const Profile &b,
                                  const SymbolOptions &symbols = {});

}  // namespace mprof
