/* Which part of a call of a GPU's driver is waiting for kernels before it (gpu_calls.h). */
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/hot.h"
#include "record/calls/gpu_calls.h"
#include "record/state/record.h"

/* A best case is kept as if the copy had as many bytes as the smallest of its class. A copy of a
 * smaller class, for as many bytes, takes longer than one of a larger class, so both are upper
 * bounds of what the copying takes. */

enum { SIZES = 40, LEAST_WAIT_NS = 20000, MOST_CALL_NS = 50000, MOST_NS_PER_BYTE = 2 };
static SELDOM uint64_t best_ticks[2][2][MPROF_GPU_DIRECTIONS][SIZES];
static bool is_launched;

void gpu_copies_launched(void)
{
    if (!__atomic_load_n(&is_launched, __ATOMIC_RELAXED))
        __atomic_store_n(&is_launched, true, __ATOMIC_RELAXED);
}

void gpu_copies_waited(void)
{
    __atomic_store_n(&is_launched, false, __ATOMIC_RELAXED);
}

static uint32_t size_of(uint64_t bytes)
{
    const uint32_t bits = 63 - (uint32_t)__builtin_clzll(bytes | 1);
    return bits < SIZES ? bits : SIZES - 1;
}

/* What a tick is worth, by the run so far. */
static uint64_t ticks_of(uint64_t ns)
{
    const struct mprof_clock_pair *start = &record.clock->start;
    return scale_uint64(ns, clock_ticks() - start->ticks_after,
                        clock_monotonic_ns() - start->monotonic_ns);
}

/* Of the copying, at most. */
static uint64_t longest(const uint64_t *best, uint64_t bytes)
{
    uint64_t ticks = ticks_of(MOST_CALL_NS + MOST_NS_PER_BYTE * bytes);
    for (uint32_t i = 0; i < SIZES; i++) {
        const uint64_t known = __atomic_load_n(&best[i], __ATOMIC_RELAXED);
        const uint64_t by_this = scale_uint64(known, bytes > 1 ? bytes : 1, UINT64_C(1) << i);
        const uint64_t most = i >= size_of(bytes) && by_this < known ? known : by_this;
        if (known != 0 && most < ticks)
            ticks = most;
    }
    return ticks;
}

static void note_best(uint64_t *best, uint64_t bytes, uint64_t ticks)
{
    const uint32_t size = size_of(bytes);
    const uint64_t of_class = scale_uint64(ticks, UINT64_C(1) << size, bytes > 1 ? bytes : 1);
    uint64_t *known = &best[size];
    if (*known == 0 || of_class < *known)
        __atomic_store_n(known, of_class != 0 ? of_class : 1, __ATOMIC_RELAXED);
}

static bool something_runs(void)
{
    return __atomic_load_n(&is_launched, __ATOMIC_RELAXED);
}

uint64_t gpu_copy_wait_ticks(const struct gpu_moved *moved, uint64_t ticks)
{
    if (moved->direction == MPROF_GPU_DIRECTIONS || record.clock == NULL)
        return 0;
    const bool is_pinned = moved->memory == MPROF_MEMORY_PINNED;
    uint64_t *best = best_ticks[moved->is_later][is_pinned][moved->direction];
    const uint64_t copying = something_runs() ? longest(best, moved->bytes) : ticks;
    if (!moved->is_later)
        gpu_copies_waited();
    if (ticks <= copying + ticks_of(LEAST_WAIT_NS)) {
        note_best(best, moved->bytes, ticks);
        return 0;
    }
    return ticks - copying;
}

/* The driver waits for all work before it gives memory of the device back. What that takes alone is
 * known from a time when nothing ran, or is at most MOST_FREE_NS. */
uint64_t gpu_free_wait_ticks(uint64_t ticks)
{
    static uint64_t best;
    enum { MOST_FREE_NS = 500000 };
    if (record.clock == NULL)
        return 0;
    const uint64_t known = __atomic_load_n(&best, __ATOMIC_RELAXED);
    const uint64_t most = ticks_of(MOST_FREE_NS);
    const uint64_t freeing = known != 0 && known < most ? known : most;
    if (!something_runs() || ticks <= freeing + ticks_of(LEAST_WAIT_NS)) {
        if (known == 0 || ticks < known)
            __atomic_store_n(&best, ticks != 0 ? ticks : 1, __ATOMIC_RELAXED);
        return 0;
    }
    gpu_copies_waited();
    return ticks - freeing;
}
