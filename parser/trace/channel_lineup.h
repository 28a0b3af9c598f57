// The known calls of two ranks may begin at different times, because each rank keeps its last ones
// only. Which send of the one belongs to which receive of the other?
//
// The answer is in the numbers of all messages, which each rank knows. Where they are not known, or
// contradict the times, it is the latest send for which no message arrives before it was sent and
// all sizes agree. It looks at some messages where both begin.
#pragma once

#include "trace/trace.h"

#include <vector>

namespace mprof {

struct LinedUp {
    uint32_t communicator = 0, source = 0, destination = 0;  // ranks of the world
    uint32_t tag = 0;                                        // 0 = not known
    uint64_t sends_before = 0;     // that many sends were received before the first known receive
    uint64_t receives_before = 0;  // that many receives are of messages before the first known send
};

// Only channels with sends and receives, where at least one number is not 0.
std::vector<LinedUp> line_up_channels(Trace &trace);

}  // namespace mprof
