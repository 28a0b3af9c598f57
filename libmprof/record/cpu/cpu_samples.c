/* Counting sampled addresses (cpu_samples.h). */
#define _GNU_SOURCE
#include "record/cpu/cpu_samples.h"

#include <errno.h>
#include <string.h>

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

/* Without room for samples there are none, but those of stacks may be lacking. */
static uint32_t open_rings(const struct recorder *recorder)
{
    const uint64_t period_ns = 1000000000u / options.cpu_samples;
    uint32_t state = MPROF_CPU_SAMPLES_NO_MEMORY;
    if (recorder->cpu_samples != NULL)
        state = cpu_ring_open(&thread_state.cpu.ring, period_ns, 0);
    if (state == MPROF_CPU_SAMPLES_ON)
        sample_paths_attach(period_ns);
    recorder->live->cpu_sample_period_ns = period_ns;
    return state;
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
    thread_state.cpu.watch = (struct cpu_watch){0};
    const uint32_t state = open_rings(recorder);
    if (state > live->cpu_samples_state)
        live->cpu_samples_state = state; /* of several threads the one that has least */
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

/* A change takes a microsecond longer with samples, or several; so many of them are 0.5 % of the
 * time. */
bool cpu_samples_are_costly(uint64_t switches, uint64_t ns)
{
    static const uint64_t most_per_s = 2000;
    return switches > scale_uint64(most_per_s, ns, 1000000000u);
}

/* A window of the watch is looked at this often: too many changes are seen at once, and few of them
 * when it ends. */
#define LOOK_NS 10000000ull
#define WINDOW_NS 50000000ull
enum { MOST_CALM_WINDOWS = 32 };

/* A thread that computes for at least one part in GLIMPSE_COMPUTES of a pause is sampled for a
 * GLIMPSE_PART of it: a few samples name the function in which it computes, and cost a tenth. */
#define PAUSE_FIRST_NS 400000000ull /* until the first glimpse; each pause may be twice as long */
#define PAUSE_MOST_NS 1600000000ull
#define GLIMPSE_LEAST_NS 100000000ull /* for samples with a stack, which are rarer */
enum { GLIMPSE_COMPUTES = 8, GLIMPSE_PART = 9 };

static void pause_samples(struct cpu_watch *watch, uint64_t now_ns)
{
    watch->is_paused = true;
    IN_ORDER();
    cpu_samples_leave();
    watch->calm_windows = 0;
    if (watch->calm_needed < MOST_CALM_WINDOWS)
        watch->calm_needed = watch->calm_needed == 0 ? 1 : 2 * watch->calm_needed;
    watch->computing_ns = watch->lost = 0;
    watch->pause_ns = now_ns;
    if (watch->pause_most_ns < PAUSE_MOST_NS)
        watch->pause_most_ns =
            watch->pause_most_ns == 0 ? PAUSE_FIRST_NS : 2 * watch->pause_most_ns;
}

/* What the kernel would have sampled of computing in the pause is lost. A pause in MPI alone is
 * none that the report need tell. */
static void count_lost(struct recorder *recorder, struct cpu_watch *watch)
{
    struct mprof_thread *live = recorder->live;
    const uint64_t lost = watch->computing_ns / live->cpu_sample_period_ns - watch->lost;
    if (lost == 0)
        return;
    watch->lost += lost;
    live->lost_cpu_samples += lost;
    live->cpu_samples_state = MPROF_CPU_SAMPLES_COSTLY;
}

static void resume_samples(struct recorder *recorder, struct cpu_watch *watch)
{
    cpu_samples_leave(); /* else the pause was left before they were closed */
    const uint32_t state = open_rings(recorder);
    watch->is_paused = false;
    recorder->live->cpu_samples_state = state;
}

static bool owes_a_glimpse(const struct cpu_watch *watch, uint64_t now_ns)
{
    const uint64_t passed_ns = now_ns - watch->pause_ns;
    return passed_ns >= watch->pause_most_ns && watch->computing_ns >= passed_ns / GLIMPSE_COMPUTES;
}

/* The report still says that it pauses. */
static void begin_glimpse(struct recorder *recorder, struct cpu_watch *watch, uint64_t now_ns)
{
    const uint64_t part_ns = (now_ns - watch->pause_ns) / GLIMPSE_PART;
    resume_samples(recorder, watch);
    if (recorder->live->cpu_samples_state == MPROF_CPU_SAMPLES_ON && watch->lost > 0)
        recorder->live->cpu_samples_state = MPROF_CPU_SAMPLES_COSTLY;
    watch->glimpse_ends_ns = now_ns + (part_ns < GLIMPSE_LEAST_NS ? GLIMPSE_LEAST_NS : part_ns);
}

static void begin_window(struct cpu_watch *watch, uint64_t now_ns, uint64_t switches)
{
    watch->begin_ns = watch->look_ns = now_ns;
    watch->switches = switches;
}

/* Samples end while the thread leaves its CPU too often, and go on when it has not done so for a
 * while: for longer each time, because to begin again takes as long as a hundred changes. */
static void watch_switches(struct recorder *recorder, uint64_t now_ns)
{
    struct cpu_watch *watch = &thread_state.cpu.watch;
    if (now_ns - watch->look_ns < LOOK_NS)
        return;
    const uint64_t switches = program_switches_of_thread();
    const uint64_t passed_ns = now_ns - watch->begin_ns;
    const uint64_t most_in_ns = passed_ns < WINDOW_NS ? WINDOW_NS : passed_ns;
    const bool is_first = watch->begin_ns == 0;
    const bool is_costly =
        !is_first && cpu_samples_are_costly(switches - watch->switches, most_in_ns);
    watch->look_ns = now_ns;
    if (watch->is_paused)
        count_lost(recorder, watch);
    if (is_costly && !watch->is_paused && now_ns >= watch->glimpse_ends_ns)
        pause_samples(watch, now_ns);
    else if (watch->is_paused && owes_a_glimpse(watch, now_ns))
        begin_glimpse(recorder, watch, now_ns);
    if (is_costly)
        watch->calm_windows = 0;
    else if (!is_first && watch->is_paused && passed_ns >= WINDOW_NS &&
             ++watch->calm_windows >= watch->calm_needed)
        resume_samples(recorder, watch);
    if (is_first || is_costly || passed_ns >= WINDOW_NS)
        begin_window(watch, now_ns, switches);
}

void cpu_samples_take(struct recorder *recorder, enum cpu_samples_of of,
                      const struct segment_key *key, uint64_t now_ns)
{
    struct cpu_ring *ring = &thread_state.cpu.ring;
    struct taken taken = {recorder, of == CPU_SAMPLES_OF_SEGMENT ? key : NULL, of};
    if (ring->pages != NULL) {
        recorder->live->lost_cpu_samples += cpu_ring_take(ring, take, &taken);
        sample_paths_take(recorder, of, taken.key);
    } else if (!thread_state.cpu.watch.is_paused) {
        return;
    }
    watch_switches(recorder, now_ns);
}
