// Whether a job that is not there any more was hung, by what its ranks left.
//
// Nobody looked at it, so it is not known how long its ranks had stood where they stand: that each
// of them was in a call tells nothing. What tells is that what they waited for could not come. Each
// rank of a ring waits for the next one, or a rank waits for one that is in MPI_Finalize.
#pragma once

#include "analyse/standing/wait_rings.h"

namespace mprof {

// `waiting`: who waits for whom.
bool is_proven_hang(const RankMeasures &ranks, const Members &members, const Waiting &waiting);

}  // namespace mprof
