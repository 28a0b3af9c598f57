/* Counting sampled addresses, and sampled call paths (cpu_samples.h). */
#define _GNU_SOURCE
#include "record/cpu/cpu_samples.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/own_work.h"
#include "record/cpu/copied_stack.h"
#include "record/cpu/cpu_ring.h"
#include "record/paths/callsites.h"
#include "store/arena.h"

/* ---- call paths of samples ------------------------------------------------------------------- */

/* A walk of ten frames takes some 10 us, and the
 * places of its addresses as much: at 27 of them a second 0.05 % of the time. */

enum {
    /* A path each 3.7 samples, so that steps of a whole number of samples are not met at one place.
     */
    TENTHS_OF_SAMPLES_PER_PATH = 37,
    WALKS_COST_AT_MOST = 200, /* one part in so many of the thread's time */
    WALKS_AT_BEGIN_NS = 2000000,
    /* A fault takes 0.5 us or more. */
    MANY_FAULTS_PER_S = 20000,
    FAULT_SAMPLES_PER_S = 256,
    FAULTS_WATCHED_NS = 100000000,
    FAULTS_REST = 8 /* times as long as they were watched */
};

void sample_paths_attach(uint64_t period_ns)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    cpu_ring_open(&cpu->path_ring, CPU_RING_TIME, TENTHS_OF_SAMPLES_PER_PATH * period_ns / 10,
                  copied_stack_registers);
    cpu->path_begin_ns = clock_monotonic_ns();
    cpu->path_unloads = modules_counts().unloads;
}

void sample_paths_leave(void)
{
    cpu_ring_close(&thread_state.cpu.path_ring);
    if (thread_state.recorder != NULL && !thread_state.recorder->shared)
        cpu_ring_close(&thread_state.recorder->faults.ring);
}

/* Their samples were taken out just now. */
static void rest_from_faults(struct fault_watch *watch, uint64_t now_ns)
{
    const uint64_t watched_ns = now_ns - watch->begin_ns;
    if (watched_ns < FAULTS_WATCHED_NS)
        return;
    watch->next_ns = now_ns + FAULTS_REST * watched_ns;
    cpu_ring_close(&watch->ring);
}

void fault_paths_look(struct recorder *recorder, uint64_t faults, uint64_t ns, uint64_t now_ns)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    struct fault_watch *watch = &recorder->faults;
    const uint64_t per_s = scale_uint64(faults, 1000000000u, ns);
    if (watch->ring.pages != NULL) {
        rest_from_faults(watch, now_ns);
        return;
    }
    if (per_s < MANY_FAULTS_PER_S || cpu->ring.pages == NULL || watch->is_refused ||
        recorder->shared || now_ns < watch->next_ns)
        return;
    const uint64_t begin_ns = clock_monotonic_ns();
    watch->begin_ns = now_ns;
    watch->faults_per_sample = (uint32_t)(per_s / FAULT_SAMPLES_PER_S);
    const uint32_t state = cpu_ring_open(&watch->ring, CPU_RING_FAULTS, watch->faults_per_sample,
                                         copied_stack_registers);
    watch->is_refused = state != MPROF_CPU_SAMPLES_ON;
    cpu->path_reading_ns += clock_monotonic_ns() - begin_ns;
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
            rows[i].sample.samples += path->sample.samples;
        else
            continue;
        return;
    }
}

static struct mprof_sample_path *new_table(const struct recorder *recorder, uint32_t type,
                                           uint32_t *index)
{
    return arena_allocate(type, recorder->number,
                          SAMPLE_PATH_ROWS * sizeof(struct mprof_sample_path),
                          sizeof(struct mprof_sample_path), false, index);
}

static struct mprof_sample_path *table_of(struct recorder *recorder, enum cpu_ring_event event)
{
    uint32_t index;
    if (event == CPU_RING_FAULTS) { /* found by the thread's number */
        if (recorder->fault_paths == NULL)
            recorder->fault_paths = new_table(recorder, MPROF_SECTION_FAULT_PATHS, &index);
        return recorder->fault_paths;
    }
    if (event == CPU_RING_EARLY) { /* likewise */
        if (recorder->early_paths == NULL)
            recorder->early_paths = new_table(recorder, MPROF_SECTION_EARLY_PATHS, &index);
        return recorder->early_paths;
    }
    if (recorder->sample_paths != NULL)
        return recorder->sample_paths;
    recorder->sample_paths = new_table(recorder, MPROF_SECTION_SAMPLE_PATHS, &index);
    if (recorder->sample_paths != NULL)
        recorder->live->sample_paths_section = index;
    return recorder->sample_paths;
}

struct walk {
    const struct copied_stack *stack;
    uintptr_t addresses[MPROF_SAMPLE_CALLERS];
    int count;
};

static void walk_copied_stack(void *context)
{
    struct walk *under_way = context;
    under_way->count =
        copied_stack_walk(under_way->stack, under_way->addresses, MPROF_SAMPLE_CALLERS);
}

/* A caller in no library, such as code that was made at run time, ends the path. */
static void set_callers(struct mprof_sample_path *path, const struct copied_stack *stack)
{
    struct walk done = {.stack = stack, .count = 0};
    modules_hold(walk_copied_stack, &done);
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
    enum cpu_ring_event event;
    uint32_t weight; /* of a sample */
};

static void take_path(const struct cpu_ring_sample *sample, void *context)
{
    const struct taken_paths *taken = context;
    struct copied_stack stack;
    const struct place place = callsite_place(sample->address);
    if ((taken->of == CPU_SAMPLES_OF_ALL && place.is_mpi) || place.module == 0 ||
        !copied_stack_of(sample, &stack))
        return;
    struct mprof_sample_path *rows = table_of(taken->recorder, taken->event);
    if (rows == NULL)
        return;
    struct mprof_sample_path path = {
        .sample = {.offset = place.offset, .module = place.module, .samples = taken->weight}};
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

static void take_paths(struct cpu_ring *ring, struct taken_paths *taken)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    if (!cpu_ring_has_more(ring))
        return;
    const uint64_t begin_ns = clock_monotonic_ns();
    cpu_ring_visit *visit = are_worth_walking(cpu, taken->of, begin_ns) ? take_path : NULL;
    const uint64_t begin_cpu_ns = clock_thread_ns();
    cpu_ring_take(ring, visit, taken);
    const uint64_t ns = clock_thread_ns() - begin_cpu_ns;
    cpu->path_reading_ns += ns;
    cpu->path_ns += ns;
}

static const struct segment_key no_segment = {0, 1ull << 32};

void sample_paths_take(struct recorder *recorder, enum cpu_samples_of of,
                       const struct segment_key *key)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    struct taken_paths taken = {recorder, key != NULL ? key : &no_segment, of, CPU_RING_TIME, 1};
    take_paths(&cpu->path_ring, &taken);
    taken.event = CPU_RING_FAULTS;
    taken.weight = recorder->faults.faults_per_sample;
    take_paths(&recorder->faults.ring, &taken);
}

/* They are few, and are read once. */
void sample_paths_take_early(struct recorder *recorder, struct cpu_ring *ring, uint32_t weight)
{
    struct taken_paths taken = {recorder, &no_segment, CPU_SAMPLES_OF_SEGMENT, CPU_RING_EARLY,
                                weight};
    cpu_ring_take(ring, take_path, &taken);
}

/* ---- samples --------------------------------------------------------------------------------- */

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
    const uint64_t period_ns = recorder->live->cpu_sample_period_ns;
    uint32_t state = MPROF_CPU_SAMPLES_NO_MEMORY;
    if (recorder->cpu_samples != NULL)
        state = cpu_ring_open(&thread_state.cpu.ring, CPU_RING_TIME, period_ns, 0);
    if (state == MPROF_CPU_SAMPLES_ON)
        sample_paths_attach(period_ns);
    return state;
}

void cpu_samples_leave(void)
{
    cpu_ring_close(&thread_state.cpu.ring);
    sample_paths_leave();
}

#define PAUSE_FIRST_NS 400000000ull /* until the first glimpse; each pause may be twice as long */
#define PAUSE_MOST_NS 1600000000ull
enum { MOST_CALM_WINDOWS = 32 };

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

/* The kernel may sleep for 100 ms when it opens the machine's first event. */
static void resume_samples(struct recorder *recorder, struct cpu_watch *watch)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    cpu_samples_leave(); /* else the pause was left before they were closed */
    const uint32_t state = open_rings(recorder);
    watch->is_paused = false;
    recorder->live->cpu_samples_state = state;
    thread_state.cpu.path_reading_ns += clock_monotonic_ns() - begin_ns;
}

/* Do ranks take turns on the CPUs? Nobody knows before MPI_Init. */
static enum { TURNS_UNKNOWN, TURNS_NOT_EXPECTED, TURNS_EXPECTED } turns;

void cpu_samples_attach(struct recorder *recorder)
{
    struct mprof_thread *live = recorder->live;
    struct cpu_watch *watch = &thread_state.cpu.watch;
    uint32_t state = MPROF_CPU_SAMPLES_ON;
    if (recorder->shared)
        return;
    if (options.cpu_samples == 0) {
        live->cpu_samples_state = MPROF_CPU_SAMPLES_OFF;
        return;
    }
    int program_errno = errno;
    *watch = (struct cpu_watch){0};
    live->cpu_sample_period_ns = 1000000000u / options.cpu_samples;
    if (turns == TURNS_NOT_EXPECTED)
        state = open_rings(recorder);
    else
        pause_samples(watch, clock_monotonic_ns());
    if (state > live->cpu_samples_state)
        live->cpu_samples_state = state; /* of several threads the one that has least */
    errno = program_errno;
}

void cpu_samples_expect_turns(bool they_are_taken)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    struct recorder *recorder = thread_state.recorder;
    int program_errno = errno;
    turns = they_are_taken ? TURNS_EXPECTED : TURNS_NOT_EXPECTED;
    if (!they_are_taken && cpu->watch.is_paused && recorder != NULL && !recorder->shared) {
        resume_samples(recorder, &cpu->watch);
        cpu->watch = (struct cpu_watch){0}; /* so far it has left its CPU no more than others */
    }
    errno = program_errno;
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

static void take_sample(const struct cpu_ring_sample *sample, void *context)
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

/* A thread that computes for at least one part in GLIMPSE_COMPUTES of a pause is sampled for a
 * GLIMPSE_PART of the pause: a few samples name the function in which it computes, and cost a
 * tenth. */
#define GLIMPSE_LEAST_NS 100000000ull /* for samples with a stack, which are rarer */
enum { GLIMPSE_COMPUTES = 8, GLIMPSE_PART = 9 };

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
        recorder->live->lost_cpu_samples += cpu_ring_take(ring, take_sample, &taken);
        sample_paths_take(recorder, of, taken.key);
    } else if (!thread_state.cpu.watch.is_paused) {
        return;
    }
    watch_switches(recorder, now_ns);
}
