/* Reading the CPU time of threads (cpu_time.h). */
#define _GNU_SOURCE
#include "record/cpu/cpu_time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "record/cpu/cpu_samples.h"
#include "record/state/record.h"
#include "record/tables/entry_table.h"
#include "record/time/events.h"
#include "record/time/time_bins.h"
#include "store/arena.h"

#define READ_COSTS_AT_MOST 500  /* one reading takes at most one part in so many */
#define FIRST_TICKS 100000      /* until it is known what a tick is worth */
#define QUEUE_LEAST_NS 20000    /* off the CPU before the run queue is read */
#define QUEUE_NS 10000000       /* at least so often, where it is to be known */
#define REASON_LEAST_NS 1000000 /* blocked before anyone asks by what */
#define FAULT_MOST_NS 20000000  /* until a busy disk has brought a page */
#define FAULT_MOST_BLOCKS 256   /* of 512 B that come with a page, read ahead */
#define OWN_PAGES_MOST 64       /* of the record, between two looks */
#define BLOCKS_PER_PAGE 8
#define USAGE_NS 10000000        /* between two looks at the faults of a thread that has its CPU */
#define LONGEST_READING_NS 20000 /* beyond, something else had the CPU */
enum { MOST_THREADS = 256 };     /* whose run queue time is read for a sample */

bool cpu_time_parse_queue(const char *text, uint64_t *queue_ns)
{
    char *end;
    strtoull(text, &end, 10);
    const char *second = end;
    *queue_ns = strtoull(second, &end, 10);
    return end != second && second != text;
}

static bool read_queue(const char *path, uint64_t *queue_ns)
{
    char text[128];
    return system_file_read(path, text, sizeof text) > 0 && cpu_time_parse_queue(text, queue_ns);
}

/* As the kernel has it; readdir() would allocate. */
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* Adds the threads of one piece of the directory. */
static uint64_t add_threads(const char *piece, long bytes, uint32_t *threads)
{
    uint64_t sum_ns = 0;
    for (long at = 0; at < bytes;) {
        const struct directory_entry *task = (const void *)(piece + at);
        char path[64];
        uint64_t queue_ns;
        at += task->bytes;
        if (task->name[0] == '.')
            continue;
        ++*threads;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", task->name);
        if (*threads <= MOST_THREADS && read_queue(path, &queue_ns))
            sum_ns += queue_ns;
    }
    return sum_ns;
}

uint64_t cpu_time_queue_of_all_ns(uint32_t *threads)
{
    _Alignas(struct directory_entry) char piece[4096];
    uint64_t sum_ns = 0;
    long bytes;
    *threads = 0;
    int tasks =
        system_is_closed() ? -1 : open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0)
        return 0;
    while ((bytes = syscall(SYS_getdents64, tasks, piece, sizeof piece)) > 0)
        sum_ns += add_threads(piece, bytes, threads);
    close(tasks);
    return sum_ns;
}

void cpu_time_open(struct recorder *recorder)
{
    uint32_t index;
    recorder->off_cpu = arena_allocate(MPROF_SECTION_OFF_CPU, recorder->number,
                                       CPU_TIME_ROWS * sizeof *recorder->off_cpu,
                                       sizeof *recorder->off_cpu, false, &index);
    if (recorder->off_cpu != NULL)
        recorder->live->off_cpu_section = index;
}

/* Reads the clock, the CPU time, and the clock again: what that took is known. */
static struct cpu_time_reading read_now(struct thread_cpu *cpu)
{
    struct cpu_time_reading now;
    uint64_t begin_ns = clock_monotonic_ns();
    now.cpu_ns = clock_thread_ns();
    now.ticks = clock_ticks();
    now.wall_ns = clock_monotonic_ns();
    now.mpi_ticks = thread_state.mpi_ticks;
    now.gpu_ticks = thread_state.gpu.ticks;
    uint64_t cost_ns = now.wall_ns - begin_ns;
    if (cpu->cost_ns == 0 || cost_ns < cpu->cost_ns)
        cpu->cost_ns = cost_ns;
    return now;
}

static void set_deadline(struct thread_cpu *cpu, const struct cpu_time_reading *before,
                         const struct cpu_time_reading *now)
{
    uint64_t ns = cpu->cost_ns * READ_COSTS_AT_MOST;
    if (ns < CPU_TIME_LEAST_NS)
        ns = CPU_TIME_LEAST_NS;
    uint64_t passed_ns = now->wall_ns - before->wall_ns;
    bool is_known = before->ticks != 0 && passed_ns != 0;
    uint64_t ticks =
        is_known ? scale_uint64(ns, now->ticks - before->ticks, passed_ns) : FIRST_TICKS;
    cpu->deadline = now->ticks + ticks;
    cpu->least_ticks = ticks;
    const struct recorder *recorder = thread_state.recorder;
    if (recorder != NULL && recorder->bin.end_ticks < cpu->deadline && !recorder->shared)
        cpu->deadline = recorder->bin.end_ticks;
    cpu->deadline = events_deadline(now->ticks, cpu->deadline);
}

uint64_t cpu_time_off_of_computing(const struct cpu_time_interval *interval)
{
    uint64_t wall = interval->wall_ns;
    uint64_t off = wall > interval->cpu_ns ? wall - interval->cpu_ns : 0;
    if (interval->computing_ns <= wall / 8)
        return 0;
    if (interval->computing_ns < wall - wall / 8)
        return scale_uint64(off, interval->computing_ns, wall);
    return off < interval->computing_ns ? off : interval->computing_ns;
}

static struct mprof_off_cpu *row_of(struct recorder *recorder, const struct segment_key *key)
{
    struct mprof_off_cpu *rest = recorder->off_cpu;
    rest->in_use = 1;
    if (key == NULL)
        return rest;
    uint64_t hash = (key->callsites ^ key->functions << 20) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < CPU_TIME_ROWS / 4; i++) {
        struct mprof_off_cpu *row = &rest[(hash + i) % (CPU_TIME_ROWS - 1) + 1];
        if (row->in_use == 0)
            memcpy(row, key, sizeof *key);
        if (memcmp(row, key, sizeof *key) == 0)
            return row;
    }
    return rest;
}

/* What the kernel has counted up to here is not what the thread will wait for: MPI_Init's pages and
 * files, and those of MPI. */
static void read_usage(struct thread_cpu *cpu, uint64_t now_ns)
{
    cpu->usage_ns = now_ns;
    program_counts_of_thread(&cpu->usage, OWN_PAGES_LATELY);
}

static void look_at_usage(struct recorder *recorder, struct thread_cpu *cpu, uint64_t now_ns)
{
    const uint64_t faults = cpu->usage.minor_faults, since_ns = cpu->usage_ns;
    read_usage(cpu, now_ns);
    fault_paths_look(recorder, without_own(cpu->usage.minor_faults, faults), now_ns - since_ns,
                     now_ns);
}

/* The record's own pages become dirty, again after each time that the kernel wrote them to the
 * disk: with a fault each, where a write() has none. */
static uint64_t program_blocks_written(uint64_t blocks, uint64_t minor_faults)
{
    const uint64_t pages = minor_faults > OWN_PAGES_MOST ? OWN_PAGES_MOST : minor_faults;
    return without_own(blocks, pages * BLOCKS_PER_PAGE);
}

/* By what: page faults that the disk served, reading and writing files, or something else: sleep, a
 * lock, a pipe. The kernel counts the first two, but nobody tells how long each took: a few faults
 * on the way into a long sleep are not what the thread waited for. */
static void add_reason(struct mprof_off_cpu *row, struct thread_cpu *cpu, uint64_t blocked_ns)
{
    struct kernel_counts *usage = &cpu->usage;
    const uint64_t major_faults = usage->major_faults, minor_faults = usage->minor_faults;
    const uint64_t read_blocks = usage->read_blocks, written_blocks = usage->written_blocks;
    /* In its place: a handler's stack may be small. */
    program_counts_of_thread(usage, OWN_PAGES_NOW);
    const uint64_t faults = without_own(usage->major_faults, major_faults);
    const uint64_t blocks =
        without_own(usage->read_blocks, read_blocks) +
        program_blocks_written(without_own(usage->written_blocks, written_blocks),
                               without_own(usage->minor_faults, minor_faults));
    uint64_t fault_ns = faults * FAULT_MOST_NS;
    if (fault_ns > blocked_ns)
        fault_ns = blocked_ns;
    row->fault_ns += fault_ns;
    if (blocks > faults * FAULT_MOST_BLOCKS)
        row->file_ns += blocked_ns - fault_ns;
}

/* How often the thread gave its CPU up to wait for something. sched_yield() does not count. */
static uint64_t sleeps_of_thread(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nvcsw : UINT64_MAX;
}

static void read_queue_of_thread(struct thread_cpu *cpu, uint64_t now_ns)
{
    cpu->queue_read_ns = now_ns;
    cpu->has_queue = read_queue("/proc/thread-self/schedstat", &cpu->queue_ns);
}

/* Of the time off the CPU since the last division. A thread that never slept was in the queue all
 * the time, so the kernel's text, which takes 5 us to read, is asked for now and then only: ranks
 * that take turns on a CPU and yield are off it thousands of times a second. */
static uint64_t waited_in_queue_ns(struct thread_cpu *cpu, uint64_t now_ns)
{
    const uint64_t sleeps_before = cpu->sleeps;
    const uint64_t queue_before_ns = cpu->queue_ns;
    cpu->sleeps = sleeps_of_thread();
    if (cpu->has_queue && cpu->sleeps == sleeps_before && cpu->sleeps != UINT64_MAX &&
        now_ns - cpu->queue_read_ns < QUEUE_NS) {
        cpu->queue_ns += cpu->off_ns;
        return cpu->off_ns;
    }
    read_queue_of_thread(cpu, now_ns);
    return cpu->has_queue ? without_own(cpu->queue_ns, queue_before_ns) : 0;
}

/* Where a reading is. */
enum reading_at { BEFORE_CALL, AFTER_CALL, AROUND_GPU, BETWEEN_POLLS };

/* Of the last reading between polls: what it takes for computing, and what it found. */
struct between_polls {
    uint64_t least_ns;
    uint64_t waited_ticks;
};

static void move_part(uint64_t *from, uint64_t *to, uint64_t part)
{
    *from -= part;
    *to += part;
}

/* What was off the CPU before a call of a GPU's driver is of the segment that ends now. */
static void settle_held(struct recorder *recorder, struct thread_cpu *cpu,
                        const struct segment_key *key)
{
    const struct mprof_off_cpu held = cpu->held;
    if (held.stretches == 0)
        return;
    memset(&cpu->held, 0, sizeof cpu->held);
    struct mprof_off_cpu *rest = row_of(recorder, NULL);
    struct mprof_off_cpu *row = row_of(recorder, key);
    move_part(&rest->stretches, &row->stretches, held.stretches);
    move_part(&rest->queue_ns, &row->queue_ns, held.queue_ns);
    move_part(&rest->blocked_ns, &row->blocked_ns, held.blocked_ns);
    move_part(&rest->file_ns, &row->file_ns, held.file_ns);
    move_part(&rest->fault_ns, &row->fault_ns, held.fault_ns);
}

static void hold(struct thread_cpu *cpu, const struct mprof_off_cpu *before,
                 const struct mprof_off_cpu *row)
{
    struct mprof_off_cpu *held = &cpu->held;
    held->stretches += row->stretches - before->stretches;
    held->queue_ns += row->queue_ns - before->queue_ns;
    held->blocked_ns += row->blocked_ns - before->blocked_ns;
    held->file_ns += row->file_ns - before->file_ns;
    held->fault_ns += row->fault_ns - before->fault_ns;
}

/* Time off the CPU has come together: how much of it was in the run queue? */
static void divide(struct recorder *recorder, struct thread_cpu *cpu,
                   const struct cpu_time_reading *now, const struct segment_key *key,
                   enum reading_at at)
{
    const uint64_t waited_ns = waited_in_queue_ns(cpu, now->wall_ns);
    if (!cpu->has_queue)
        recorder->live->cpu_time_flags |= MPROF_CPU_TIME_NO_QUEUE;
    uint64_t off_ns = cpu->off_computing_ns;
    uint64_t share_ns = scale_uint64(waited_ns, off_ns, cpu->off_ns);
    if (share_ns > off_ns)
        share_ns = off_ns;
    cpu->off_ns = cpu->off_computing_ns = 0;
    if (off_ns == 0)
        return;
    struct mprof_off_cpu *row = row_of(recorder, key);
    const struct mprof_off_cpu before = *row;
    row->stretches++;
    row->queue_ns += share_ns;
    row->blocked_ns += off_ns - share_ns;
    time_bins_add_off_cpu(cpu->off_from_ticks, now->ticks, share_ns, off_ns - share_ns);
    if (off_ns - share_ns >= REASON_LEAST_NS)
        add_reason(row, cpu, off_ns - share_ns);
    if (at >= AROUND_GPU)
        hold(cpu, &before, row);
}

static void begin(struct thread_cpu *cpu)
{
    const uint64_t now_ns = clock_monotonic_ns();
    read_usage(cpu, now_ns);
    read_queue_of_thread(cpu, now_ns);
    cpu->sleeps = sleeps_of_thread();
}

/* Of the time off the CPU that is not of computing, in a GPU's driver. */
static uint64_t add_off_gpu(struct recorder *recorder, uint64_t off_ns, uint64_t gpu_ticks,
                            uint64_t mpi_ticks)
{
    if (gpu_ticks == 0 || recorder->gpu == NULL)
        return 0;
    const uint64_t ns = scale_uint64(off_ns, gpu_ticks, gpu_ticks + mpi_ticks);
    recorder->gpu->off_ns += ns;
    return ns;
}

/* Of what an interval has off the CPU in computing, what was waiting for the GPU: all, where it has
 * hardly any computing. */
static uint64_t waited_between_polls(struct recorder *recorder, struct between_polls *between,
                                     const struct cpu_time_interval *interval, uint64_t off_ns,
                                     uint64_t ticks)
{
    struct thread_gpu *gpu = &thread_state.gpu;
    if (between == NULL || interval->computing_ns - off_ns >= between->least_ns)
        return 0;
    between->waited_ticks = scale_uint64(off_ns, ticks, interval->wall_ns);
    recorder->gpu->off_ns += off_ns;
    recorder->gpu->ticks[MPROF_GPU_POLL] += between->waited_ticks;
    gpu->ticks += between->waited_ticks;
    gpu->state_ticks[GPU_WAITING] += between->waited_ticks;
    return off_ns;
}

static void add(struct recorder *recorder, struct thread_cpu *cpu, struct cpu_time_reading *now,
                const struct segment_key *key, enum reading_at at, struct between_polls *between)
{
    const struct cpu_time_reading *before = &cpu->last;
    struct mprof_thread *live = recorder->live;
    uint64_t ticks = now->ticks - before->ticks;
    uint64_t mpi_ticks = now->mpi_ticks - before->mpi_ticks;
    uint64_t gpu_ticks = now->gpu_ticks - before->gpu_ticks;
    uint64_t outside_ns = 0; /* of MPI */
    struct cpu_time_interval interval = {.wall_ns = now->wall_ns - before->wall_ns,
                                         .cpu_ns = now->cpu_ns - before->cpu_ns};
    if (mpi_ticks < ticks)
        outside_ns = scale_uint64(interval.wall_ns, ticks - mpi_ticks, ticks);
    interval.computing_ns = outside_ns;
    if (gpu_ticks != 0)
        interval.computing_ns =
            without_own(outside_ns, scale_uint64(interval.wall_ns, gpu_ticks, ticks));
    uint64_t off_ns = interval.wall_ns > interval.cpu_ns ? interval.wall_ns - interval.cpu_ns : 0;
    uint64_t off_computing_ns = cpu_time_off_of_computing(&interval);
    bool is_mixed = interval.computing_ns > interval.wall_ns / 8 &&
                    interval.computing_ns < interval.wall_ns - interval.wall_ns / 8;
    uint64_t off_rest_ns = off_ns - (off_ns < off_computing_ns ? off_ns : off_computing_ns);
    const uint64_t waited_ns =
        waited_between_polls(recorder, between, &interval, off_computing_ns, ticks);
    off_computing_ns -= waited_ns;
    interval.computing_ns -= waited_ns;
    now->gpu_ticks = thread_state.gpu.ticks;
    live->read_computing_ns += outside_ns;
    live->read_mpi_ns += interval.wall_ns - outside_ns;
    live->off_mpi_ns += off_rest_ns - add_off_gpu(recorder, off_rest_ns, gpu_ticks, mpi_ticks);
    live->off_mixed_ns += is_mixed ? off_computing_ns : 0;
    if (cpu->watch.is_paused)
        cpu->watch.computing_ns += interval.computing_ns - off_computing_ns;
    if (cpu->off_ns == 0)
        cpu->off_from_ticks = before->ticks;
    cpu->off_ns += off_ns;
    cpu->off_computing_ns += off_computing_ns;
    if (cpu->off_ns >= QUEUE_LEAST_NS)
        divide(recorder, cpu, now, key, at);
}

/* What the reading itself took, without what other programs took of the CPU meanwhile. */
static uint64_t own_ns(const struct thread_cpu *cpu, const struct cpu_time_reading *now)
{
    uint64_t after_ns = clock_monotonic_ns() - now->wall_ns - cpu->path_reading_ns;
    return cpu->cost_ns + cpu->path_reading_ns +
           (after_ns < LONGEST_READING_NS ? after_ns : LONGEST_READING_NS);
}

/* Whose are the samples since the last reading? `key` is NULL after a call. */
static void take_samples(struct recorder *recorder, const struct thread_cpu *cpu,
                         const struct cpu_time_reading *now, const struct segment_key *key)
{
    uint64_t ticks = now->ticks - cpu->last.ticks;
    uint64_t last_stop_ticks = thread_state.last_stop_ticks;
    enum cpu_samples_of of = CPU_SAMPLES_OF_ALL;
    if (now->mpi_ticks - cpu->last.mpi_ticks >= ticks - ticks / 8)
        of = CPU_SAMPLES_OF_MPI;
    else if (key != NULL && last_stop_ticks != 0 &&
             now->ticks - last_stop_ticks >= ticks - ticks / 8)
        of = CPU_SAMPLES_OF_SEGMENT;
    cpu_samples_take(recorder, of, key, now->wall_ns);
}

/* What a GPU's driver had of the time since the last reading is of that time's bins. */
static void add_gpu_to_bins(struct thread_gpu *gpu, uint64_t now_ticks)
{
    if (gpu->from_ticks != 0)
        time_bins_add_gpu(gpu->from_ticks, now_ticks, gpu->state_ticks);
    gpu->from_ticks = 0;
    memset(gpu->state_ticks, 0, sizeof gpu->state_ticks);
}

/* Returns in ticks what that took. Samples stay where they are until the segment is known. */
static uint64_t take_reading(const struct segment_key *key, enum reading_at at,
                             struct between_polls *between)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    struct recorder *recorder = thread_state.recorder;
    int program_errno = errno;
    struct cpu_time_reading now = read_now(cpu);
    cpu->path_reading_ns = 0;
    bool is_measured = recorder != NULL && !recorder->shared && recorder->off_cpu != NULL;
    if (is_measured && cpu->last.ticks == 0)
        begin(cpu);
    else if (is_measured)
        add(recorder, cpu, &now, key, at, between);
    if (is_measured && at == BEFORE_CALL)
        settle_held(recorder, cpu, key);
    if (at == AFTER_CALL)
        memset(&cpu->held, 0, sizeof cpu->held);
    add_gpu_to_bins(&thread_state.gpu, now.ticks);
    if (recorder != NULL && at < AROUND_GPU)
        take_samples(recorder, cpu, &now, key);
    if (is_measured && cpu->off_ns == 0 && now.wall_ns - cpu->usage_ns >= USAGE_NS)
        look_at_usage(recorder, cpu, now.wall_ns);
    const struct cpu_time_reading before = cpu->last;
    if (cpu->path_reading_ns >= REASON_LEAST_NS)
        now = read_now(cpu); /* rings were opened: it was not the program that slept */
    set_deadline(cpu, &before, &now);
    cpu->last = now;
    if (cpu->held.stretches != 0)
        cpu->deadline = 0;
    errno = program_errno;
    if (!is_measured || before.ticks == 0)
        return 0;
    uint64_t ns = own_ns(cpu, &now);
    __atomic_fetch_add(&losses->own_ns, ns, __ATOMIC_RELAXED);
    own_work_add_ns(ns);
    return scale_uint64(ns, now.ticks - before.ticks, now.wall_ns - before.wall_ns);
}

uint64_t cpu_time_before(const struct segment_key *key, uint64_t now_ticks)
{
    struct thread_state *thread = &thread_state;
    if ((thread->last_call & LAST_CALL_UNTIMED) != 0)
        return now_ticks; /* what of it were polls is not known before the call's end */
    uint64_t own_ticks = take_reading(key, BEFORE_CALL, NULL);
    thread_was_not_computing(own_ticks);
    return clock_ticks();
}

void cpu_time_after(void)
{
    thread_was_not_computing(take_reading(NULL, AFTER_CALL, NULL));
}

void cpu_time_around_gpu(void)
{
    thread_was_not_computing(take_reading(NULL, AROUND_GPU, NULL));
}

uint64_t cpu_time_between_polls(uint64_t least_ns)
{
    struct between_polls between = {least_ns, 0};
    thread_was_not_computing(take_reading(NULL, BETWEEN_POLLS, &between));
    return between.waited_ticks;
}

void cpu_time_skip(void)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    if (cpu->last.ticks == 0)
        return;
    int program_errno = errno;
    cpu->last = read_now(cpu);
    read_usage(cpu, cpu->last.wall_ns);
    if (thread_state.recorder != NULL)
        cpu_samples_take(thread_state.recorder, CPU_SAMPLES_OF_MPI, NULL, cpu->last.wall_ns);
    cpu->deadline = events_deadline(cpu->last.ticks, cpu->last.ticks + FIRST_TICKS);
    errno = program_errno;
}

/* Rows that are not in use may be on untouched pages. */
static void forget_samples(struct recorder *recorder)
{
    recorder->live->lost_cpu_samples = recorder->live->mpi_cpu_samples = 0;
    for (uint32_t i = 0; recorder->cpu_samples != NULL && i < CPU_SAMPLE_ROWS; i++)
        if (recorder->cpu_samples[i].in_use != 0)
            memset(&recorder->cpu_samples[i], 0, sizeof recorder->cpu_samples[i]);
    struct mprof_sample_path *const tables[] = {recorder->sample_paths, recorder->fault_paths};
    for (uint32_t i = 0; i < 2 * SAMPLE_PATH_ROWS; i++) {
        struct mprof_sample_path *rows = tables[i / SAMPLE_PATH_ROWS];
        if (rows != NULL && rows[i % SAMPLE_PATH_ROWS].sample.in_use != 0)
            memset(&rows[i % SAMPLE_PATH_ROWS], 0, sizeof *rows);
    }
}

void cpu_time_forget(struct recorder *recorder)
{
    struct thread_cpu *cpu = &thread_state.cpu;
    struct mprof_thread *live = recorder->live;
    cpu_time_skip();
    cpu->off_ns = cpu->off_computing_ns = 0;
    memset(&cpu->held, 0, sizeof cpu->held);
    live->read_computing_ns = live->read_mpi_ns = live->off_mpi_ns = live->off_mixed_ns = 0;
    if (recorder->off_cpu != NULL)
        memset(recorder->off_cpu, 0, CPU_TIME_ROWS * sizeof *recorder->off_cpu);
    forget_samples(recorder);
}

static void find_most_off_cpu(struct recorder *recorder, void *context)
{
    uint64_t *most_ns = context;
    uint64_t ns = 0;
    for (uint32_t i = 0; recorder->off_cpu != NULL && i < CPU_TIME_ROWS; i++)
        ns += recorder->off_cpu[i].queue_ns + recorder->off_cpu[i].blocked_ns;
    if (ns > *most_ns)
        *most_ns = ns;
}

uint64_t recorders_off_cpu_ns(void)
{
    uint64_t most_ns = 0;
    recorders_visit(find_most_off_cpu, &most_ns);
    return most_ns;
}
