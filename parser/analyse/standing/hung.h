// Whether a job hangs: none of its ranks that have not ended will come any further.
//
// A job that was killed while it computed or moved data does not hang. Nobody looked at it then,
// and what its ranks left does not say how long they had stood where they stand.
#pragma once

#include "analyse/standing/wait_rings.h"

namespace mprof {

// While the job runs, time decides: ranks that wait for each other in a ring have done so for a
// while, or each rank has stood for a while where it is and none of them computes. Of a job that
// is not there any more, what its ranks left must prove it (proven_hang.h).
bool is_hung(const RankMeasures &ranks, const Members &members, const std::vector<Stand> &stands,
             const Waiting &waiting, const Observation &observation, const Moments &moments);

// What to change in the program, for somebody who knows little of MPI.
std::string advice_of(const Waiting &waiting);

}  // namespace mprof
