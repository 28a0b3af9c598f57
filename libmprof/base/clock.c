/* Choosing and calibrating the clock (clock.h). Runs in MPI_Init and MPI_Finalize, never on the hot
 * path. */
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/own_work.h"
#endif

uint32_t clock_kind = MPROF_CLOCK_MONOTONIC;
bool clock_is_alone;

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#if defined(__x86_64__)
/* CPUID says that the counter runs at one rate in all power states; the kernel says that the cores'
 * counters agree. */
static bool tsc_is_usable(void)
{
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) || !(edx & (1u << 8)))
        return false;
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                    O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    char name[8] = "";
    ssize_t length = own_read(file, name, sizeof name - 1);
    close(file);
    return length >= 3 && strncmp(name, "tsc", 3) == 0;
}
#endif

void clock_choose(void)
{
#if defined(__x86_64__)
    clock_kind = tsc_is_usable() ? MPROF_CLOCK_TSC : MPROF_CLOCK_MONOTONIC;
#elif defined(__aarch64__)
    clock_kind = MPROF_CLOCK_CNTVCT;
#endif
    clock_share(false);
}

void clock_share(bool with_counters)
{
    clock_is_alone = clock_kind != MPROF_CLOCK_MONOTONIC && !with_counters;
}

struct mprof_clock_pair clock_pair(void)
{
    struct mprof_clock_pair best = {0, 0, UINT64_MAX};
    for (int attempt = 0; attempt < 20; attempt++) {
        struct mprof_clock_pair pair;
        pair.ticks_before = clock_ticks();
        pair.monotonic_ns = clock_monotonic_ns();
        pair.ticks_after = clock_ticks();
        if (pair.ticks_after - pair.ticks_before < best.ticks_after - best.ticks_before)
            best = pair;
    }
    return best;
}

static int compare_ticks(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

uint64_t clock_median(uint64_t *ticks, size_t count)
{
    qsort(ticks, count, sizeof *ticks, compare_ticks);
    return ticks[count / 2];
}

uint64_t clock_read_cost(void)
{
    enum { SAMPLES = 31, READS = 16 };
    uint64_t cost[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        uint64_t begin = clock_ticks();
        for (int read = 1; read < READS; read++)
            (void)clock_ticks();
        cost[sample] = (clock_ticks() - begin) / READS;
    }
    return clock_median(cost, SAMPLES);
}

double clock_seconds(const struct mprof_clock *clock, uint64_t ticks)
{
    if (clock->kind == MPROF_CLOCK_MONOTONIC)
        return (double)ticks * 1e-9;
    double start = ((double)clock->start.ticks_before + (double)clock->start.ticks_after) / 2;
    double latest = ((double)clock->latest.ticks_before + (double)clock->latest.ticks_after) / 2;
    double ns = (double)(clock->latest.monotonic_ns - clock->start.monotonic_ns);
    return latest > start ? (double)ticks * ns / (latest - start) * 1e-9 : 0;
}

uint64_t clock_realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
