// What outputs tell of the accounts: those that are worth a row, and what adds up.
#pragma once

#include "report/rows/account_rows.h"

#include <string>
#include <vector>

namespace mprof {

// That save at least a hundredth of the run.
std::vector<AccountRow> told_accounts(const Accounts &accounts);

// "uneven 600 ms, then blocked and in turn 105 ms"; "" if nothing is worth it.
std::string order_words(const Accounts &accounts);

}  // namespace mprof
