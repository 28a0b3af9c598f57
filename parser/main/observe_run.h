// Is the run that left this profile still there? For mprof hang, mprof top and mprof report.
#pragma once

#include "analyse/analyse_profile.h"
#include "merge/profile.h"

namespace mprof {

// Looks for the ranks' processes. Only processes of this machine can be seen. A job on other nodes
// counts as running while none of its ranks has ended, and its times grow meanwhile.
Observation observe_run(const Profile &profile);

// For mprof report, which is also used long after the job: nothing is known of a job of which no
// process is here.
Observation observe_run_here(const Profile &profile);

}  // namespace mprof
