// In which order causes are removed, and what each saves when those before it are gone. All of that
// adds up to less than the run.
#pragma once

#include "accounts/whole_run.h"

namespace mprof {

// `accounts` has its rows, the smallest too.
std::vector<AccountStep> order_of_accounts(const WholeRun &run, const Accounts &accounts);

}  // namespace mprof
