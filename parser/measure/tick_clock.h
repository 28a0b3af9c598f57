// Converts a rank's ticks into seconds: by the line through the middles of the two clock pairs, as
// format.h says.
#pragma once

#include "mprof/format/format.h"

#include <cstdint>

namespace mprof {

inline double seconds_of_ns(uint64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) * 1e-9;
}

class TickClock {
public:
    TickClock() = default;
    explicit TickClock(const mprof_clock &clock);

    // False for a live file whose second pair was never written: then ticks have no length.
    bool known() const { return seconds_per_tick_ > 0; }
    double seconds_per_tick() const { return seconds_per_tick_; }
    // Takes the rate of another rank; all cores of one kind of machine tick at nearly the same
    // rate.
    void borrow_rate(const TickClock &other) { seconds_per_tick_ = other.seconds_per_tick_; }

    // Seconds from the rank's MPI_Init to the tick; never below 0.
    double seconds_at(uint64_t ticks) const;
    double latest_s() const { return seconds_at(latest_ticks_); }
    // Cost of one read of the clock, and what libmprof adds to one call.
    double read_s() const { return static_cast<double>(read_ticks_) * seconds_per_tick_; }
    double record_s() const { return static_cast<double>(record_ticks_) * seconds_per_tick_; }
    uint64_t latest_ticks() const { return latest_ticks_; }
    uint64_t read_ticks() const { return read_ticks_; }
    uint32_t kind() const { return kind_; }

private:
    double seconds_per_tick_ = 0;
    uint64_t start_ticks_ = 0;
    uint64_t latest_ticks_ = 0;
    uint64_t read_ticks_ = 0;
    uint64_t record_ticks_ = 0;
    uint32_t kind_ = 0;
};

}  // namespace mprof
