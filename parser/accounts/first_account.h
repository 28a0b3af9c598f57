// Which account is the first sentence, which the second, and which is said beside.
#pragma once

#include "report/account_rows.h"

#include <optional>
#include <vector>

namespace mprof {

struct ToldAccount {
    std::vector<AccountKind> kinds;   // two: a pair that hides each other
    double saves_s = 0;               // of the first kind its low; of a pair, what both save
    const AccountRow *row = nullptr;  // of the first kind
};

// Below it an account is no headline: 5 % of the run, and 0.1 s.
double least_account_s(const Accounts &accounts);

const AccountRow *account_of(const Accounts &accounts, AccountKind kind);

// The largest low of the program's accounts; else the pair that hides each other; else what is
// around the program. None: the run is bound by its computing.
std::optional<ToldAccount> first_account(const Accounts &accounts);

// Second in the order of what adds up, if it saves at least half of the first, or a share of the
// run that is worth a sentence (account_beside_percent).
std::optional<ToldAccount> second_account(const Accounts &accounts);

// Another program or too few CPUs, from 10 % of the run on; nullptr if it is the first one.
const AccountRow *account_beside(const Accounts &accounts);

}  // namespace mprof
