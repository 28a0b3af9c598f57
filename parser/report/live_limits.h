// What mprof top judges by: of the time since its view before.
#pragma once

namespace mprof {

struct LiveLimits {
    double long_wait_s = 5;       // in one call: that is said before anything else
    double wait_percent = 10;     // of the time: less waiting has no cause
    double cause_percent = 1;     // of the time is waiting for a rank: less is not told
    double slow_factor = 1.1;     // a rank computes that many times as long as the median one
    double off_cpu_percent = 10;  // of the time
    double mpi_percent = 30;      // of the time: more is worth to watch
};
inline constexpr LiveLimits live_limits;

}  // namespace mprof
