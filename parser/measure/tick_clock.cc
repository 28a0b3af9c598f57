// Only differences of ticks become floating point: 2^53 ticks are a month, absolute counts may be
// larger.
#include "measure/tick_clock.h"

namespace mprof {
namespace {

uint64_t middle(const mprof_clock_pair &pair)
{
    return pair.ticks_before + (pair.ticks_after - pair.ticks_before) / 2;
}

double rate_of(const mprof_clock &clock)
{
    constexpr double ns = 1e-9;
    if (clock.kind == MPROF_CLOCK_MONOTONIC)
        return ns;
    const uint64_t begin = middle(clock.start);
    const uint64_t end = middle(clock.latest);
    if (end <= begin || clock.latest.monotonic_ns <= clock.start.monotonic_ns)
        return 0;
    return static_cast<double>(clock.latest.monotonic_ns - clock.start.monotonic_ns) /
           static_cast<double>(end - begin) * ns;
}

}  // namespace

TickClock::TickClock(const mprof_clock &clock)
    : seconds_per_tick_(rate_of(clock)),
      start_ticks_(middle(clock.start)),
      latest_ticks_(middle(clock.latest)),
      read_ticks_(clock.read_ticks),
      record_ticks_(clock.record_ticks),
      kind_(clock.kind)
{
}

double TickClock::seconds_at(uint64_t ticks) const
{
    return ticks <= start_ticks_ ? 0
                                 : static_cast<double>(ticks - start_ticks_) * seconds_per_tick_;
}

}  // namespace mprof
