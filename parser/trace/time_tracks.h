// What the time bins give a trace: phases, and counters of what ranks do.
#pragma once

#include "trace/trace_sink.h"

namespace mprof {

// A run of more ranks gets counters of their mean alone.
inline constexpr size_t most_ranks_with_counters = 64;

void write_time_tracks(const Trace &trace, const TimeLine &time, TraceSink &sink);

}  // namespace mprof
