/* Samples from before MPI_Init (early_samples.h). */
#include "record/cpu/early_samples.h"

#include <errno.h>

#include "record/cpu/copied_stack.h"
#include "record/cpu/cpu_ring.h"
#include "record/cpu/cpu_samples.h"
#include "record/paths/modules.h"

#define FAST_NS 100000000ull
#define SLOW_NS 2000000000ull
enum { SLOW_WEIGHT = SLOW_NS / FAST_NS, LEAST_SAMPLES = 3 };

static struct {
    struct cpu_ring fast, slow;
    uint64_t unloads; /* of libraries: after one, addresses mean nothing */
    bool is_begun;    /* read and written atomically */
} early;

void early_samples_begin(void)
{
    const int program_errno = errno;
    early.unloads = modules_counts().unloads;
    cpu_ring_open(&early.fast, CPU_RING_EARLY, FAST_NS, copied_stack_registers);
    cpu_ring_open(&early.slow, CPU_RING_EARLY, SLOW_NS, copied_stack_registers);
    __atomic_store_n(&early.is_begun, true, __ATOMIC_RELEASE);
    errno = program_errno;
}

static void count_one(const struct cpu_ring_sample *sample, void *count)
{
    (void)sample;
    ++*(uint32_t *)count;
}

/* Of a copy, so that they can still be taken. */
static uint32_t count_samples(struct cpu_ring ring)
{
    uint32_t count = 0;
    cpu_ring_take(&ring, count_one, &count);
    return count;
}

/* How long the fast ring lasts depends on how much of such memory the user may have. */
static void take_samples(struct recorder *recorder)
{
    if (modules_counts().unloads != early.unloads)
        return;
    const uint32_t fast = count_samples(early.fast);
    const uint32_t slow = count_samples(early.slow);
    const bool was_full = slow * SLOW_WEIGHT > fast + fast / 4;
    if (was_full && slow >= LEAST_SAMPLES)
        sample_paths_take_early(recorder, &early.slow, SLOW_WEIGHT);
    else if (fast >= LEAST_SAMPLES)
        sample_paths_take_early(recorder, &early.fast, 1);
}

void early_samples_end(struct recorder *recorder)
{
    const int program_errno = errno;
    if (!__atomic_exchange_n(&early.is_begun, false, __ATOMIC_ACQUIRE))
        return;
    if (recorder != NULL && !recorder->shared)
        take_samples(recorder);
    cpu_ring_close(&early.fast);
    cpu_ring_close(&early.slow);
    errno = program_errno;
}
