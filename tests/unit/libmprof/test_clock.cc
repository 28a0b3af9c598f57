// The clock: ticks convert to the seconds of CLOCK_MONOTONIC.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "record_fixture.h"

namespace {

/* How far 50 ms by the ticks are from 50 ms by CLOCK_MONOTONIC, as a ratio. */
double deviation_over_50_ms()
{
    mprof_clock clock{};
    clock.kind = clock_kind;
    clock.start = clock_pair();
    uint64_t begin_ns = clock_monotonic_ns();
    uint64_t begin = clock_ticks();
    usleep(50000);
    uint64_t end = clock_ticks();
    uint64_t end_ns = clock_monotonic_ns();
    clock.latest = clock_pair();
    double seconds = static_cast<double>(end_ns - begin_ns) * 1e-9;
    return std::fabs(clock_seconds(&clock, end - begin) / seconds - 1);
}

TEST(Clock, TicksAreMonotonicSeconds)
{
    clock_choose();
    // The best of a few: a process that is descheduled between two clocks sees them differ.
    double deviation = 1;
    for (int attempt = 0; attempt < 5; attempt++)
        deviation = std::min(deviation, deviation_over_50_ms());
    EXPECT_LT(deviation, 0.001);
}

TEST(Clock, APairIsNarrow)
{
    clock_choose();
    mprof_clock_pair pair = clock_pair();
    EXPECT_GE(pair.ticks_after, pair.ticks_before);
    EXPECT_LT(clock_read_cost(), pair.ticks_after - pair.ticks_before + 1000);
    EXPECT_GT(clock_read_cost(), 0u);
}

TEST(Clock, SecondsOfKnownPairs)
{
    mprof_clock clock{};
    clock.kind = MPROF_CLOCK_TSC;
    clock.start = {1000, 500, 1010};
    clock.latest = {4000, 1500, 4010};  // 3000 ticks in 1000 ns
    EXPECT_DOUBLE_EQ(clock_seconds(&clock, 300), 100e-9);
    clock.kind = MPROF_CLOCK_MONOTONIC;
    EXPECT_DOUBLE_EQ(clock_seconds(&clock, 300), 300e-9);
}

}  // namespace
