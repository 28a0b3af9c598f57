// What part of each entry's time was waiting: MeasuredEntry.wait_s and completion_wait_s. Called by
// waits.cc, in this order.
#pragma once

#include "waits/collective_waits.h"
#include "waits/wait_context.h"

namespace mprof {

// Everything but calls that complete requests; of messages the most that it can have been.
void judge_entries(WaitContext &context, const CollectiveWaits &collectives);

// MPI_Wait and relatives, by what is known of the requests that they completed.
void judge_completing_calls(WaitContext &context);

}  // namespace mprof
