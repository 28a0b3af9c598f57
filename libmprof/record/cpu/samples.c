/* Noting the conditions, and taking samples (samples.h). */
#define _GNU_SOURCE
#include "record/cpu/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/energy.h"
#include "base/lock.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "base/topology.h"
#include "record/cpu/cpu_time.h"
#include "store/arena.h"

/* ---- conditions ------------------------------------------------------------------------------ */

/* The arithmetic is a chain in which each step needs the one before. So it takes a fixed number of
 * cycles on a kind of CPU, whatever memory, caches and the other hardware thread of the core do,
 * and only the clock of the CPU changes its time. The least of four turns of 33 us is as steady as
 * that of four turns of 130 us (both +3 % at most in 99 of 100 cases), because fewer turns are
 * disturbed. What is reported is the time of the longer work, as in files of earlier versions.
 */

enum { AT_BEGIN, AT_END, CONDITIONS, WORK_TURNS = 4, WORK_STEPS = 25000 };
enum { RUNNING_TURNS = 2, RUNNING_STEPS = 5000, REPORTED_STEPS = 100000 };

static struct mprof_condition *conditions; /* in the arena */
static bool has_begun;

void conditions_open(void)
{
    uint32_t index;
    conditions = arena_allocate(MPROF_SECTION_CONDITIONS, 0, CONDITIONS * sizeof *conditions,
                                sizeof *conditions, false, &index);
}

void conditions_forget(void)
{
    conditions = NULL;
    has_begun = false;
}

static uint64_t cpu_ns(void)
{
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t least_work_ns(int turns, int steps)
{
    static volatile uint64_t result; /* or the compiler would leave the work out */
    uint64_t least = 0;
    for (int turn = 0; turn < turns; turn++) {
        uint64_t value = result;
        uint64_t begin = cpu_ns();
        for (int i = 0; i < steps; i++)
            value = value * 6364136223846793005u + 1442695040888963407u;
        result = value;
        uint64_t took = cpu_ns() - begin;
        if (turn == 0 || took < least)
            least = took;
    }
    return least * (uint64_t)(REPORTED_STEPS / steps);
}

uint64_t conditions_work_ns(void)
{
    return least_work_ns(WORK_TURNS, WORK_STEPS);
}

uint64_t conditions_running_work_ns(void)
{
    return least_work_ns(RUNNING_TURNS, RUNNING_STEPS);
}

void conditions_note(enum mprof_sample_moment moment)
{
    bool is_end = moment == MPROF_SAMPLE_FINALIZE_ENTERED;
    if (conditions == NULL || (!is_end && __atomic_exchange_n(&has_begun, true, __ATOMIC_RELAXED)))
        return;
    struct mprof_condition *condition = &conditions[is_end ? AT_END : AT_BEGIN];
    const struct system_io moved = system_io();
    condition->read_bytes = moved.read_bytes;
    condition->written_bytes = moved.written_bytes;
    condition->read_calls = moved.read_calls;
    condition->write_calls = moved.write_calls;
    const struct group_limits limits = topology_group_limits();
    condition->throttled_ns = limits.throttled_ns;
    condition->throttles = limits.throttles;
    condition->memory_highs = limits.memory_highs;
    condition->oom_kills = limits.oom_kills;
    condition->work_ns = conditions_work_ns();
    /* The moment last: a reader of the live file sees a whole record or none. */
    __atomic_store_n(&condition->moment, moment, __ATOMIC_RELEASE);
}

/* ---- samples --------------------------------------------------------------------------------- */

enum {
    MOST_RUNNING = 24,       /* the others are MPI_Init's, a session's and MPI_Finalize's */
    NUMA_TIME_NS = 50000000, /* for /proc/self/numa_maps, as far as that gets */
};
#define FIRST_INTERVAL_NS 1000000000ull
#define LONGEST_INTERVAL_NS (1ull << 50)
#define NUMA_MOST_BYTES (64ull << 30) /* of memory: with more one line may take the kernel long */

uint64_t samples_deadline = UINT64_MAX;

#define SAMPLES_AT_START                 \
    {                                    \
        .interval_ns = FIRST_INTERVAL_NS \
    }
static struct {
    struct lock lock;
    struct mprof_sample *all; /* in the arena, in order of time */
    uint32_t count;
    uint32_t first_running;
    uint64_t interval_ns;
    uint64_t begin_ns, begin_ticks; /* to tell what a tick is worth */
} samples = SAMPLES_AT_START;

void samples_open(void)
{
    uint32_t index;
    samples.all = arena_allocate(MPROF_SECTION_SAMPLES, 0, SAMPLES_MOST * sizeof *samples.all,
                                 sizeof *samples.all, false, &index);
    samples.begin_ns = clock_monotonic_ns();
    samples.begin_ticks = clock_ticks();
}

static void read_usage(struct mprof_sample *sample)
{
    const struct kernel_counts counts = program_counts();
    sample->minor_faults = counts.minor_faults;
    sample->major_faults = counts.major_faults;
    sample->voluntary_switches = counts.voluntary_switches;
    sample->involuntary_switches = counts.involuntary_switches;
    sample->user_ns = counts.user_ns;
    sample->system_ns = counts.system_ns;
}

static void read_memory(struct mprof_sample *sample)
{
    char text[2048];
    system_file_read("/proc/self/status", text, sizeof text);
    sample->resident_bytes = system_bytes(text, "VmRSS:");
    sample->peak_resident_bytes = system_bytes(text, "VmHWM:");
    if (sample->peak_resident_bytes < sample->resident_bytes) /* sandboxes leave VmHWM out */
        sample->peak_resident_bytes = sample->resident_bytes;
    sample->shared_bytes = system_bytes(text, "RssFile:") + system_bytes(text, "RssShmem:");
    sample->swapped_bytes = system_bytes(text, "VmSwap:");
}

uint64_t samples_peak_bytes(void)
{
    char text[2048];
    struct rusage usage;
    system_file_read("/proc/self/status", text, sizeof text);
    uint64_t bytes = system_bytes(text, "VmHWM:");
    if (bytes == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        bytes = (uint64_t)usage.ru_maxrss * 1024u;
    return bytes;
}

static void read_place(struct mprof_sample *sample)
{
    struct cpu_set allowed;
    char text[4096];
    cpu_of_thread(&sample->cpu, &sample->numa_node);
    sample->cpus_allowed = cpus_of_thread(&allowed) ? cpus_count(&allowed) : 0;
    system_file_read("/proc/thread-self/sched", text, sizeof text);
    static const char key[] = "se.nr_migrations";
    sample->migrations = strstr(text, key) == NULL ? UINT64_MAX : system_number(text, key);
}

void samples_add_numa_line(const char *line, int node, uint64_t *local_bytes, uint64_t *other_bytes)
{
    /* What is mapped from files is where it was read first, by whichever process. */
    if (strstr(line, " file=") != NULL)
        return;
    const char *page_size = strstr(line, "kernelpagesize_kB=");
    uint64_t page_bytes =
        page_size == NULL ? 4096 : 1024 * strtoull(strchr(page_size, '=') + 1, NULL, 10);
    for (const char *part = line; (part = strstr(part, " N")) != NULL; part += 2) {
        char *end;
        long number = strtol(part + 2, &end, 10);
        if (end == part + 2 || *end != '=')
            continue;
        uint64_t bytes = strtoull(end + 1, NULL, 10) * page_bytes;
        *(number == node ? local_bytes : other_bytes) += bytes;
    }
}

/* Whole lines of `text`; what is left of the last one moves to the front. Returns its length. */
static size_t add_numa_lines(char *text, struct mprof_sample *sample)
{
    char *line = text;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        samples_add_numa_line(line, sample->numa_node, &sample->numa_local_bytes,
                              &sample->numa_other_bytes);
    }
    size_t rest = strlen(line);
    memmove(text, line, rest + 1);
    return rest;
}

static void read_numa_maps(struct mprof_sample *sample)
{
    char text[8192];
    size_t length = 0;
    uint64_t begin_ns = clock_monotonic_ns();
    int file = system_is_closed() ? -1 : open("/proc/self/numa_maps", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && clock_monotonic_ns() - begin_ns < NUMA_TIME_NS) {
        ssize_t bytes = own_read(file, text + length, sizeof text - 1 - length);
        if (bytes <= 0)
            break;
        text[length + (size_t)bytes] = '\0';
        length = add_numa_lines(text, sample);
        if (length == sizeof text - 1)
            length = 0; /* no line is that long */
    }
    if (file >= 0)
        close(file);
}

/* The kernel walks the page tables for this: only at the end, and not of very much memory. */
static void read_numa(struct mprof_sample *sample)
{
    char nodes[64];
    struct cpu_set online; /* of NUMA nodes; the list looks the same */
    system_line_read("/sys/devices/system/node/online", nodes, sizeof nodes);
    cpus_parse(nodes, &online);
    if (cpus_count(&online) == 1)
        sample->numa_local_bytes = sample->resident_bytes - sample->shared_bytes;
    else if (sample->numa_node >= 0 && sample->resident_bytes < NUMA_MOST_BYTES)
        read_numa_maps(sample);
}

/* With the lock held. Drops every other sample taken while the program ran. The rest is spread
 * evenly over twice the time. */
static void thin_out(void)
{
    uint32_t kept = samples.first_running;
    for (uint32_t i = samples.first_running + 1; i < samples.count; i += 2)
        samples.all[kept++] = samples.all[i];
    memset(&samples.all[kept], 0, (samples.count - kept) * sizeof *samples.all);
    samples.count = kept;
    if (samples.interval_ns < LONGEST_INTERVAL_NS)
        samples.interval_ns *= 2;
}

/* With the lock held. */
static void set_deadline(uint64_t now_ticks)
{
    uint64_t ns = clock_monotonic_ns() - samples.begin_ns;
    if (ns == 0)
        return;
    uint64_t interval = scale_uint64(samples.interval_ns, now_ticks - samples.begin_ticks, ns);
    __atomic_store_n(&samples_deadline, now_ticks + interval, __ATOMIC_RELAXED);
}

/* With the lock held. */
static void append_sample(enum mprof_sample_moment moment)
{
    struct mprof_sample sample = {.ticks = clock_ticks()};
    struct own_work work;
    own_work_begin(&work);
    read_memory(&sample);
    read_place(&sample);
    sample.queue_ns = cpu_time_queue_of_all_ns(&sample.threads);
    if (moment == MPROF_SAMPLE_FINALIZE_ENTERED)
        read_numa(&sample);
    sample.energy_uj = 1 + energy_now_uj();
    if (moment == MPROF_SAMPLE_RUNNING) /* at both ends of the run: mprof_condition */
        sample.work_ns = conditions_running_work_ns();
    own_work_end(&work);
    read_usage(&sample);
    if (moment == MPROF_SAMPLE_RUNNING && samples.count - samples.first_running == MOST_RUNNING)
        thin_out();
    if (samples.count == SAMPLES_MOST)
        return;
    struct mprof_sample *slot = &samples.all[samples.count++];
    *slot = sample;
    /* The moment last: a reader of the live file sees a whole sample or none. */
    __atomic_store_n(&slot->moment, moment, __ATOMIC_RELEASE);
    if (moment == MPROF_SAMPLE_INIT_LEFT)
        samples.first_running = samples.count;
    if (moment == MPROF_SAMPLE_INIT_LEFT || moment == MPROF_SAMPLE_RUNNING)
        set_deadline(clock_ticks());
}

void samples_take(enum mprof_sample_moment moment)
{
    int program_errno = errno;
    const bool is_taken = lock_take(&samples.lock);
    if (is_taken && samples.all != NULL)
        append_sample(moment);
    if (moment == MPROF_SAMPLE_FINALIZE_ENTERED)
        __atomic_store_n(&samples_deadline, UINT64_MAX, __ATOMIC_RELAXED);
    lock_give_if(&samples.lock, is_taken);
    errno = program_errno;
}

bool samples_take_running(uint64_t now_ticks)
{
    int program_errno = errno;
    if (!lock_try(&samples.lock))
        return false;
    bool due = samples_due(now_ticks); /* still, after another thread took one */
    if (due)
        append_sample(MPROF_SAMPLE_RUNNING);
    lock_give(&samples.lock);
    errno = program_errno;
    return due;
}

void samples_forget(void)
{
    samples = (__typeof__(samples))SAMPLES_AT_START;
    samples_deadline = UINT64_MAX;
}
