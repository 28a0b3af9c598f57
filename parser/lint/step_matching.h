// Which send belongs to which receive, and which instance of its communicator a collective is: what
// step_replay.h needs before it begins.
#pragma once

#include "lint/step_replay.h"

namespace mprof {

// Fills in `completed`, `partner` and `instance`.
void match_steps(std::vector<ReplayRank> &ranks);

// Sends that no receive took, whose receiver told all and asked for no such tag of them.
std::vector<StepPlace> sends_with_wrong_tags(const std::vector<ReplayRank> &ranks);

}  // namespace mprof
