/* Counting sampled addresses (cpu_samples.h). */
#define _GNU_SOURCE
#include "record/cpu/cpu_samples.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/own_work.h"
#include "record/cpu/cpu_ring.h"
#include "record/cpu/sample_paths.h"
#include "record/paths/callsites.h"
#include "store/arena.h"

void cpu_samples_open(struct recorder *recorder)
{
    uint32_t index;
    if (options.cpu_samples == 0)
        return;
    recorder->cpu_samples = arena_allocate(MPROF_SECTION_CPU_SAMPLES, recorder->number,
                                           CPU_SAMPLE_ROWS * sizeof *recorder->cpu_samples,
                                           sizeof *recorder->cpu_samples, false, &index);
    if (recorder->cpu_samples != NULL)
        recorder->live->cpu_samples_section = index;
}

void cpu_samples_attach(struct recorder *recorder)
{
    struct mprof_thread *live = recorder->live;
    if (recorder->shared)
        return;
    if (options.cpu_samples == 0) {
        live->cpu_samples_state = MPROF_CPU_SAMPLES_OFF;
        return;
    }
    int program_errno = errno;
    const uint64_t period_ns = 1000000000u / options.cpu_samples;
    uint32_t state = MPROF_CPU_SAMPLES_NO_MEMORY;
    if (recorder->cpu_samples != NULL)
        state = cpu_ring_open(&thread_state.cpu.ring, period_ns, 0);
    if (state == MPROF_CPU_SAMPLES_ON)
        sample_paths_attach(period_ns);
    if (state > live->cpu_samples_state)
        live->cpu_samples_state = state; /* of several threads the one that has least */
    live->cpu_sample_period_ns = period_ns;
    errno = program_errno;
}

void cpu_samples_leave(void)
{
    cpu_ring_close(&thread_state.cpu.ring);
    sample_paths_leave();
}

static bool is_of(const struct mprof_cpu_sample *row, const struct segment_key *key,
                  uint32_t module)
{
    return memcmp(row, key, sizeof *key) == 0 && row->module == module;
}

static uint64_t distance(uint64_t one, uint64_t other)
{
    return one > other ? one - other : other - one;
}

/* The row of this address, a new one, or that of the nearest address of its block. NULL = none. */
static struct mprof_cpu_sample *find_row(struct mprof_cpu_sample *rows,
                                         const struct segment_key *key, uint32_t module,
                                         uint64_t offset)
{
    uint64_t hash = (key->callsites ^ key->functions << 20) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ module ^ offset / CPU_SAMPLE_BLOCK_BYTES << 8) * 0x9e3779b97f4a7c15u >> 32;
    struct mprof_cpu_sample *nearest = NULL;
    for (uint32_t i = 0; i < CPU_SAMPLE_PROBES; i++) {
        struct mprof_cpu_sample *row = &rows[(hash + i) % (CPU_SAMPLE_ROWS - 1) + 1];
        if (row->in_use == 0) {
            row->module = module;
            row->offset = offset;
            memcpy(row, key, sizeof *key);
            return row;
        }
        if (!is_of(row, key, module))
            continue;
        if (row->offset == offset)
            return row;
        uint64_t far = distance(row->offset, offset);
        if (far < CPU_SAMPLE_BLOCK_BYTES &&
            (nearest == NULL || far < distance(nearest->offset, offset)))
            nearest = row;
    }
    return nearest;
}

void cpu_samples_count(struct mprof_cpu_sample *rows, const struct segment_key *key,
                       const struct place *place)
{
    const struct segment_key unknown = make_segment_key(0, 0, 0, 0);
    struct mprof_cpu_sample *row = NULL;
    if (key == NULL)
        key = &unknown;
    row = find_row(rows, key, place->module, place->module != 0 ? place->offset : 0);
    if (row == NULL)
        row = find_row(rows, key, 0, 0);
    if (row == NULL) {
        row = rows;
        row->in_use = 1;
    }
    row->samples++;
}

struct taken {
    struct recorder *recorder;
    const struct segment_key *key;
    enum cpu_samples_of of;
};

static void take(const struct cpu_ring_sample *sample, void *context)
{
    const struct taken *taken = context;
    struct mprof_thread *live = taken->recorder->live;
    if (taken->of == CPU_SAMPLES_OF_MPI) {
        live->mpi_cpu_samples++;
        return;
    }
    struct place place = callsite_place(sample->address);
    if (taken->of == CPU_SAMPLES_OF_ALL && place.is_mpi)
        live->mpi_cpu_samples++;
    else
        cpu_samples_count(taken->recorder->cpu_samples, taken->key, &place);
}

/* A change takes some microseconds longer with samples; so many of them are 0.5 % of the time. */
bool cpu_samples_are_costly(uint64_t switches, uint64_t ns)
{
    static const uint64_t most_per_s = 2000;
    return switches > scale_uint64(most_per_s, ns, 1000000000u);
}

/* Looks twice a second. */
static bool has_become_costly(struct cpu_ring *ring)
{
    static const uint64_t interval_ns = 500000000;
    uint64_t now_ns = clock_monotonic_ns();
    uint64_t passed_ns = now_ns - ring->watched_ns;
    if (passed_ns < interval_ns)
        return false;
    struct kernel_counts counts;
    program_counts_of_thread(&counts);
    uint64_t switches = counts.voluntary_switches + counts.involuntary_switches;
    bool is_costly =
        ring->watched_ns != 0 && cpu_samples_are_costly(switches - ring->switches, passed_ns);
    ring->watched_ns = now_ns;
    ring->switches = switches;
    return is_costly;
}

void cpu_samples_take(struct recorder *recorder, enum cpu_samples_of of,
                      const struct segment_key *key)
{
    struct cpu_ring *ring = &thread_state.cpu.ring;
    struct taken taken = {recorder, of == CPU_SAMPLES_OF_SEGMENT ? key : NULL, of};
    if (ring->pages == NULL)
        return;
    recorder->live->lost_cpu_samples += cpu_ring_take(ring, take, &taken);
    sample_paths_take(recorder, of, taken.key);
    if (has_become_costly(ring)) {
        cpu_samples_leave();
        recorder->live->cpu_samples_state = MPROF_CPU_SAMPLES_COSTLY;
    }
}
