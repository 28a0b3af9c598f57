// What ranks did last that have not ended normally, and which of them to look at first.
#pragma once

#include "analyse/standing/stands.h"

#include <vector>

namespace mprof {

// Those that others wait for, have no process any more, are stopped, called MPI_Abort, or stand
// where nobody else stands. `waited_for`: whom the headline blames, first.
std::vector<uint32_t> ranks_to_look_at(const RankMeasures &ranks, const std::vector<Stand> &stands,
                                       const std::vector<StandingRow> &rows,
                                       const std::vector<uint32_t> &waited_for);

// By rank, then in the order in which the calls began. Empty if no rank has a flight recorder.
std::vector<LastCallRow> find_last_calls(const RankMeasures &ranks, const Merged &merged,
                                         const std::vector<uint32_t> &look_at);

}  // namespace mprof
