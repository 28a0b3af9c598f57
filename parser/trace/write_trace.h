// Puts a trace into a format: counters, phases, and the calls of all threads by time. Memory does
// not grow with the number of calls.
#pragma once

#include "trace/trace_sink.h"

namespace mprof {

struct TraceCounts {
    uint64_t calls = 0;
    uint64_t messages = 0;   // that were sent and received in calls that are known
    uint64_t unmatched = 0;  // receives in known calls whose message is not known
    uint64_t moved = 0;      // receives that seemed to end before the message was sent
    double most_moved_s = 0;
};

TraceCounts write_trace(Trace &trace, const TimeLine &time, TraceSink &sink);

}  // namespace mprof
