// What is missing in a profile, said on stderr: for commands whose answer is there all the same.
#pragma once

#include "merge/profile.h"
#include "report/report.h"

namespace mprof {

bool has_damaged_ranks(const Profile &profile);

// Names what is missing and tells whether something is. `damaged` as has_damaged_ranks() says.
bool say_incomplete(const Report &report, bool damaged, bool verbose);

}  // namespace mprof
