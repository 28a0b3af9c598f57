/* Counting sampled call paths (sample_paths.h). A walk of ten frames takes some 10 us, and the
 * places of its addresses as much: at 27 of them a second 0.05 % of the time. */
#include "record/cpu/sample_paths.h"

#include <string.h>

#include "base/clock.h"
#include "record/cpu/copied_stack.h"
#include "record/paths/callsites.h"
#include "store/arena.h"

enum {
    /* A path each 3.7 samples, so that steps of a whole number of samples are not met at one place.
     */
    TENTHS_OF_SAMPLES_PER_PATH = 37,
    WALKS_COST_AT_MOST = 200, /* one part in so many of the thread's time */
    WALKS_AT_BEGIN_NS = 2000000
};

void sample_paths_attach(uint64_t period_ns)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    cpu_ring_open(&cpu->path_ring, TENTHS_OF_SAMPLES_PER_PATH * period_ns / 10,
                  copied_stack_registers);
    cpu->path_begin_ns = clock_monotonic_ns();
    cpu->path_unloads = modules_counts().unloads;
}

void sample_paths_leave(void)
{
    cpu_ring_close(&thread_state.cpu.path_ring);
}

static bool same_path(const struct mprof_sample_path *one, const struct mprof_sample_path *other)
{
    struct mprof_sample_path with_its_count = *one;
    with_its_count.sample.samples = other->sample.samples;
    return memcmp(&with_its_count, other, sizeof *other) == 0;
}

void sample_paths_count(struct mprof_sample_path *rows, const struct mprof_sample_path *path)
{
    for (uint32_t i = 0; i < SAMPLE_PATH_ROWS; i++) {
        if (rows[i].sample.in_use == 0)
            rows[i] = *path;
        else if (same_path(&rows[i], path))
            rows[i].sample.samples++;
        else
            continue;
        return;
    }
}

static struct mprof_sample_path *table_of(struct recorder *recorder)
{
    uint32_t index;
    if (recorder->sample_paths != NULL)
        return recorder->sample_paths;
    recorder->sample_paths = arena_allocate(MPROF_SECTION_SAMPLE_PATHS, recorder->number,
                                            SAMPLE_PATH_ROWS * sizeof *recorder->sample_paths,
                                            sizeof *recorder->sample_paths, false, &index);
    if (recorder->sample_paths != NULL)
        recorder->live->sample_paths_section = index;
    return recorder->sample_paths;
}

struct walk {
    const struct copied_stack *stack;
    uintptr_t addresses[MPROF_SAMPLE_CALLERS];
    int count;
};

static void walk(void *context)
{
    struct walk *under_way = context;
    under_way->count =
        copied_stack_walk(under_way->stack, under_way->addresses, MPROF_SAMPLE_CALLERS);
}

/* A caller in no library, such as code that was made at run time, ends the path. */
static void set_callers(struct mprof_sample_path *path, const struct copied_stack *stack)
{
    struct walk done = {.stack = stack, .count = 0};
    modules_hold(walk, &done);
    for (int i = 0; i < done.count; i++) {
        const struct place place = callsite_place(done.addresses[i] - 1);
        if (place.module == 0)
            return;
        path->modules[i] = place.module;
        path->offsets[i] = place.offset + 1;
    }
}

struct taken_paths {
    struct recorder *recorder;
    const struct segment_key *key;
    enum cpu_samples_of of;
};

static void take_path(const struct cpu_ring_sample *sample, void *context)
{
    const struct taken_paths *taken = context;
    struct copied_stack stack;
    const struct place place = callsite_place(sample->address);
    if ((taken->of == CPU_SAMPLES_OF_ALL && place.is_mpi) || place.module == 0 ||
        !copied_stack_of(sample, &stack))
        return;
    struct mprof_sample_path *rows = table_of(taken->recorder);
    if (rows == NULL)
        return;
    struct mprof_sample_path path = {
        .sample = {.offset = place.offset, .module = place.module, .samples = 1}};
    memcpy(&path.sample, taken->key, sizeof *taken->key);
    set_callers(&path, &stack);
    sample_paths_count(rows, &path);
}

/* Addresses mean nothing after a library was unloaded. */
static bool are_worth_walking(struct thread_cpu *cpu, enum cpu_samples_of of, uint64_t now_ns)
{
    const uint64_t unloads = modules_counts().unloads;
    const bool are_known = unloads == cpu->path_unloads;
    cpu->path_unloads = unloads;
    const uint64_t most_ns = (now_ns - cpu->path_begin_ns) / WALKS_COST_AT_MOST;
    return are_known && of != CPU_SAMPLES_OF_MPI && cpu->path_ns <= most_ns + WALKS_AT_BEGIN_NS;
}

void sample_paths_take(struct recorder *recorder, enum cpu_samples_of of,
                       const struct segment_key *key)
{
    static const struct segment_key unknown = {0, 1ull << 32};
    struct thread_cpu *cpu = &thread_state.cpu;
    if (!cpu_ring_has_more(&cpu->path_ring))
        return;
    const uint64_t begin_ns = clock_monotonic_ns();
    struct taken_paths taken = {recorder, key != NULL ? key : &unknown, of};
    cpu_ring_visit *visit = are_worth_walking(cpu, of, begin_ns) ? take_path : NULL;
    const uint64_t begin_cpu_ns = clock_thread_ns();
    cpu_ring_take(&cpu->path_ring, visit, &taken);
    const uint64_t ns = clock_thread_ns() - begin_cpu_ns;
    cpu->path_reading_ns += ns;
    cpu->path_ns += ns;
}
