// Is the run that left this profile still there? For mprof hang and mprof top.
#pragma once

#include "analyse/analyse_profile.h"
#include "merge/profile.h"

namespace mprof {

// Looks for the ranks' processes. Only processes of this machine can be seen. A job on other nodes
// counts as running while none of its ranks has ended, and its times grow meanwhile.
Observation observe_run(const Profile &profile);

}  // namespace mprof
