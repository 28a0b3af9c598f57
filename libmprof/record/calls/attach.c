/* The record of the process, and a recorder for each thread (attach.h).
 *
 * A child of fork() inherits the mapping of its parent's file. The child unmaps it and stops
 * recording (record_stop_in_child). If the parent had not begun MPI, the child may begin it. The
 * child's first MPI call then forgets the parent's record and opens a new one (begin_anew). If the
 * parent had begun MPI, a child gets a record only when it begins MPI itself.
 */
#define _GNU_SOURCE
#include "record/calls/attach.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "api/mpi_functions.h"
#include "base/clock.h"
#include "base/energy.h"
#include "base/float_state.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/own_work.h"
#include "base/warn.h"
#include "record/calls/threads.h"
#include "record/counters/counters.h"
#include "record/cpu/conditions.h"
#include "record/cpu/cpu_time.h"
#include "record/cpu/samples.h"
#include "record/objects/communicators.h"
#include "record/objects/file_rows.h"
#include "record/objects/handles.h"
#include "record/objects/parallel_regions.h"
#include "record/paths/callsites.h"
#include "record/paths/modules.h"
#include "record/paths/scripts.h"
#include "record/state/record.h"
#include "record/tables/entry_table.h"
#include "record/tables/segment_table.h"
#include "record/time/collective_times.h"
#include "record/time/events.h"
#include "record/time/journals.h"
#include "record/time/polls.h"
#include "record/time/regions.h"
#include "record/time/time_bins.h"
#include "record/watched/lint_record.h"
#include "record/watched/posted_receives.h"
#include "record/watched/results.h"
#include "store/arena.h"

/* The table of handles may take this many times the memory of the record, as private memory. The
 * default record allows 200,000 requests under way. The received bytes of a request without room
 * are not known. */
enum { HANDLES_PER_RECORD = 8 };

void (*record_begins_anew)(void);

/* In a child, on its only thread. The thread may be inside an MPI call, in a callback. That call
 * must still end properly. */
void record_stop_in_child(void)
{
    struct thread_state *thread = &thread_state;
    struct thread_state fresh = {.paths = &callsites_no_cache};
    if (!thread->paused) {
        fresh.depth = thread->depth;
        fresh.outermost = thread->outermost;
    }
    record.stopped = true;
    record.forked = true;
    locks_in_child();
    record_lock = (struct lock){0};
    own_work_in_child();
    arena_detach_in_child();
    events_detach_in_child();
    modules_unlock_in_child();
    recorders_unlock_in_child();
    counters_stop_in_child();
    *thread = fresh;
}

static bool watch_forks(void)
{
    static bool watched; /* children inherit it */
    watched = watched ||
              pthread_atfork(modules_before_fork, modules_after_fork, record_stop_in_child) == 0;
    return watched;
}

/* With the lock held. */
static void begin_anew(void)
{
    warnings_forget();
    counters_forget();
    samples_forget();
    time_bins_forget();
    collective_times_forget();
    conditions_forget();
    energy_forget();
    threads_forget();
    callsites_forget_all();
    scripts_forget();
    modules_forget();
    regions_forget();
    files_forget();
    parallel_forget();
    journals_forget();
    lint_forget();
    comms_forget();
    handles_forget();
    losses_forget();
    results_forget();
    posted_receives_forget();
    events_forget();
    arena_forget();
    memset(&record, 0, sizeof record);
    if (record_begins_anew != NULL)
        record_begins_anew();
}

bool record_begins_with(uint16_t function)
{
    return function < MPI_FUNCTION_COUNT && (mpi_function_marks[function] & MPI_BEGINS) != 0;
}

/* If the parent had begun MPI, the child's calls use the parent's MPI. */
bool record_may_begin_anew(uint16_t function)
{
    return record.forked && (!record.begun || record_begins_with(function));
}

static bool write_function_names(void)
{
    uint32_t index;
    char *names = arena_allocate(MPROF_SECTION_FUNCTIONS, 0, MPI_NAME_BYTES + 1, 1, false, &index);
    if (names != NULL)
        memcpy(names, mpi_name_texts, MPI_NAME_BYTES);
    return names != NULL;
}

/* What this thread spent in MPI before counts as if it had been right before now. Else there would
 * be calls outside the run's time: MPI_T_init_thread may take longer than MPI_Init. */
static void begin_earlier(const struct mprof_clock_pair *opened, struct mprof_clock_pair *start)
{
    const uint64_t ticks = thread_state.mpi_ticks;
    const uint64_t ns = scale_uint64(ticks, start->monotonic_ns - opened->monotonic_ns,
                                     start->ticks_after - opened->ticks_after);
    start->ticks_before -= ticks;
    start->ticks_after -= ticks;
    start->monotonic_ns -= ns;
    record.run->start_realtime_ns -= ns;
}

void record_forget_computing(void)
{
    struct recorder *recorder = thread_state.recorder;
    if (recorder == NULL || recorder->shared)
        return;
    segments_forget_time(recorder);
    cpu_time_forget(recorder);
}

/* Time 0 of the rank. */
void record_begin_time(void)
{
    if (record.begun)
        return;
    if (thread_state.last_stop_ticks != 0)
        record_forget_computing();
    const struct mprof_clock_pair opened = record.clock->start;
    record.run->start_realtime_ns = clock_realtime_ns();
    record.clock->start = clock_pair();
    thread_state.last_stop_ticks = record.clock->start.ticks_after;
    if (thread_state.mpi_ticks > 0)
        begin_earlier(&opened, &record.clock->start);
    record.clock->latest = record.clock->start;
}

static bool open_record(void)
{
    uint32_t index;
    options_read();
    clock_choose();
    callsites_open((uint32_t)options.callsites);
    if (!arena_open(options.memory_bytes + results_arena_bytes()) ||
        !handles_open(HANDLES_PER_RECORD * options.memory_bytes) || !write_function_names())
        return false;
    record.run =
        arena_allocate(MPROF_SECTION_RUN, 0, sizeof *record.run, sizeof *record.run, false, &index);
    record.clock = arena_allocate(MPROF_SECTION_CLOCK, 0, sizeof *record.clock,
                                  sizeof *record.clock, false, &index);
    if (record.run == NULL || record.clock == NULL)
        return false;
    losses = record.run;
    record.run->process_id = (uint32_t)getpid();
    record.clock->kind = clock_kind;
    record.clock->read_ticks = clock_read_cost();
    record.clock->record_ticks = recorder_cost();
    if (options.sample != 0)
        polls_open(record.clock->read_ticks, record.clock->record_ticks);
    time_bins_open();
    collective_times_open();
    lint_open();
    samples_open();
    conditions_open();
    results_open();
    counters_open(options.counters);
    record_begin_time(); /* until MPI_Init says otherwise, time 0 is now */
    return watch_forks();
}

void record_go_without(void)
{
    record.stopped = record.failed = true;
    warn("no memory for the record (MPROF_MEMORY); this process is not profiled");
}

/* A program with more rights than its user (setuid) is not profiled. It would use these rights to
 * write where the environment says. */
static void open_once(void)
{
    if (!lock_take(&record_lock))
        return;
    if (record.forked)
        begin_anew();
    if (!record.opened) {
        record.opened = true;
        bool privileged = getauxval(AT_SECURE) != 0;
        if (record.stopped != privileged) /* other threads read it without the lock */
            record.stopped = privileged;
        if (!privileged && !open_record())
            record_go_without();
    }
    lock_give(&record_lock);
}

struct recorder *record_attach(void (*at_thread_end)(void *recorder))
{
    int program_errno = errno; /* what is called from here is ours */
    cancellation_hold();
    struct own_work *work = own_work_begin_in_call();
    float_state program_float = float_hold();
    open_once();
    if (!record.stopped && record.run != NULL)
        thread_state.recorder = recorder_attach(at_thread_end);
    own_work_end(work);
    if (thread_state.recorder != NULL)
        counters_attach();
    float_release(program_float);
    errno = program_errno;
    cancellation_release();
    return thread_state.recorder;
}

void record_sample(uint64_t now_ticks)
{
    uint64_t begin_ns = clock_monotonic_ns();
    if (!samples_take_running(now_ticks))
        return;
    counters_skip();
    __atomic_fetch_add(&record.run->own_ns, clock_monotonic_ns() - begin_ns, __ATOMIC_RELAXED);
}
