// Why a job ended whose ranks did not finish, as its batch system tells it: for the commands that
// read a report. A signal ends a rank without a word in its profile, and libmprof catches none.
#pragma once

#include "merge/profile.h"
#include "report/states.h"

namespace mprof {

// Asks Slurm (scontrol, then sacct) if the profile is of a job of Slurm and a rank did not finish.
// It waits for 3 s at most for each. RunEnd::unfinished: nobody knows.
RunEnd end_of_job(const Profile &profile);

}  // namespace mprof
