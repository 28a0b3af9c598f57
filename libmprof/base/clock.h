/* The clock: one read of the tick counter, and the pairs that tell offline what a tick is worth.
 *
 * clock_ticks() is on the hot path, twice per MPI call. On x86-64 it is rdtsc when the counter is
 * invariant and the kernel trusts it, on aarch64 cntvct_el0, else clock_gettime(CLOCK_MONOTONIC) in
 * ns. The program never converts ticks: pairs of (ticks, CLOCK_MONOTONIC, ticks) at MPI_Init and
 * MPI_Finalize are stored and the parser draws the line through them. clock_choose() runs once,
 * before any other function here; after that every function may be called from any thread.
 */
#ifndef MPROF_CLOCK_H
#define MPROF_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/hot.h"
#include "mprof/format/format.h"

extern HIDDEN uint32_t clock_kind; /* mprof_clock_kind; set once by clock_choose() */

/* The clock is the processor's counter, and no other counters are read with it (counters.h): then a
 * call reads it in place. One question instead of two. */
extern HIDDEN bool clock_is_alone;

void clock_choose(void);

/* Counters are read with the clock from now on, or are no more. */
void clock_share(bool with_counters);

/* The narrowest of 20 pairs: about +-10 ns. After 1 ms between two pairs that is 0.3 ppm of the
 * rate. */
struct mprof_clock_pair clock_pair(void);

/* Of `count` measurements, which get sorted. */
uint64_t clock_median(uint64_t *ticks, size_t count);

/* Median cost of one clock_ticks(), in ticks. */
uint64_t clock_read_cost(void);

/* value * numerator / denominator, without doubles: those would raise flags in the program's
 * floating-point environment. 0 if the denominator is. */
static inline uint64_t scale_uint64(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    __extension__ typedef unsigned __int128 wide;
    return denominator == 0 ? 0 : (uint64_t)((wide)value * numerator / denominator);
}

/* Length of `ticks` in seconds, by the two pairs of `clock`; for what libmprof itself prints. */
double clock_seconds(const struct mprof_clock *clock, uint64_t ticks);

uint64_t clock_monotonic_ns(void);

/* CPU time of the calling thread: a system call. Own work that may be interrupted is measured by
 * it: by the clock it would have what other programs took of the CPU meanwhile, which is counted
 * as time off the CPU already. */
uint64_t clock_thread_ns(void);

/* The processor's counter; only where clock_kind says so. */
static HOT uint64_t clock_counter(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return clock_monotonic_ns();
#endif
}

static HOT uint64_t clock_ticks(void)
{
    if (__builtin_expect(clock_kind != MPROF_CLOCK_MONOTONIC, 1))
        return clock_counter();
    return clock_monotonic_ns();
}

/* Since 1970, as the kernel has it now. */
uint64_t clock_realtime_ns(void);

#endif
