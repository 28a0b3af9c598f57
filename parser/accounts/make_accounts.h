// The accounts of a run, and the order in which they add up.
//
// A run lasts as long as its busiest rank, and what all ranks wait at once. So does each window of
// it. An account is what the run would take less without a cause.
#pragma once

#include "accounts/run_times.h"
#include "report/report.h"

namespace mprof {

// `report` has its ranks, with what others waited for them, and its totals. `known` is false if
// there is nothing to divide.
Accounts make_accounts(RunTimes times, const Report &report);

// The whole run as one window, from the rows of its ranks: of files without time bins, and of a
// part of the ranks. Waiting that is not known is all MPI time.
RunTimes times_of_rows(const Report &report);

}  // namespace mprof
