// What each rank did between two reports of a running job, what it does now, and the answer: who is
// waited for.
#pragma once

#include "analyse/live/live_view.h"

namespace mprof {

// Divides by the sum.
LiveSplit as_shares(const TimeSplit &seconds);
TimeState most_of(const LiveSplit &split);

// rank_bars, nodes, split
void note_ranks(const Report &now, const std::optional<Report> &before, LiveView &view);
// waits, and which of the ranks and nodes are waited for; after the ranks
void note_waits(const Report &now, const std::optional<Report> &before, LiveView &view);
// state, answer, sentence; after the waits
void note_answer(const Report &now, LiveView &view);

}  // namespace mprof
