// Is the run that left this profile still there? For mprof hang and mprof top.
#pragma once

#include "analyse/analyse_profile.h"
#include "merge/profile.h"

namespace mprof {

// Looks for the ranks' processes. Those of this machine alone can be seen: a job on other nodes is
// taken to be running while none of its ranks has ended, and what it says of times grows then.
Observation observe_run(const Profile &profile);

}  // namespace mprof
