// Which rank ended a job that others were in the middle of: it called MPI_Abort, one of its calls
// failed so that the MPI ended the job, or it exited.
//
// The launcher ends the others, so these are not to blame. Of a rank that was killed by a signal
// nothing is recorded that tells it from those that the launcher killed.
#pragma once

#include "analyse/standing/stands.h"

#include <optional>
#include <string>

namespace mprof {

struct EndedBy {
    uint32_t rank = 0;
    RankEnd how = RankEnd::none;  // abort, exit or died
    std::string words;            // "rank 2 called MPI_Abort(3) at solver.c:9"
};

std::optional<EndedBy> find_ended_by(const RankMeasures &ranks, const Merged &merged,
                                     const Observation &observation, const Moments &moments);

}  // namespace mprof
