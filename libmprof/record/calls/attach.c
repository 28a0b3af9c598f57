/* The record of the process, and a recorder for each thread (attach.h). Nothing here is on the hot
 * path.
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
#include "base/private_memory.h"
#include "base/warn.h"
#include "record/counters/counters.h"
#include "record/cpu/cpu_samples.h"
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
#include "record/tables/entry_rows.h"
#include "record/tables/entry_table.h"
#include "record/tables/pair_tables.h"
#include "record/time/events.h"
#include "record/time/journals.h"
#include "record/time/last_calls.h"
#include "record/time/polls.h"
#include "record/time/regions.h"
#include "record/time/time_bins.h"
#include "record/watched/lint_record.h"
#include "record/watched/results.h"
#include "store/arena.h"

/* ---- the recorders of threads ---------------------------------------------------------------- */

/* A line may be lost to each of the allocations. */
enum {
    BYTES_OF_PIECES = 128 * sizeof(struct mprof_region) + 128 * sizeof(struct mprof_communicator)
};
_Static_assert(BYTES_OF_PIECES + FIRST_ENTRIES * sizeof(struct mprof_entry) +
                       FIRST_PARTNERS * sizeof(struct mprof_partner) +
                       FIRST_SEGMENTS * sizeof(struct mprof_segment) + sizeof(struct mprof_thread) +
                       8 * (size_t)64 <
                   ARENA_RESERVE_BYTES,
               "the reserve holds the shared recorder, and the first regions and communicators");

/* Needs nothing but the arena's reserve. */
static struct recorder shared_recorder;

static pthread_key_t thread_ended;
static bool key_made;

void recorder_give_back(void *recorder_of_ended_thread)
{
    struct recorder *recorder = recorder_of_ended_thread;
    thread_drop_scratch();
    modules_leave();
    locks_give_left();
    callsites_leave();
    cpu_samples_leave();
    thread_state.recorder = NULL; /* a later destructor may call MPI: it attaches again */
    if (recorder->shared)
        return;
    recorder->left_ticks = clock_ticks();
    time_bins_settle(recorder, recorder->left_ticks);
    recorder->left_mpi_ticks = thread_state.mpi_ticks;
    if (!lock_take(&recorder_pool.lock))
        return; /* nobody takes it over */
    recorder->owner = NULL;
    recorder->next = recorder_pool.idle;
    recorder_pool.idle = recorder;
    lock_give(&recorder_pool.lock);
}

/* Afterwards they are free for others; a place in the directory is never lost. */
static void give_sections_back(const struct mprof_thread *live, uint32_t live_section)
{
    const uint32_t sections[] = {live->entries_section, live->partners_section,
                                 live->segments_section, live->off_cpu_section};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (sections[i] != 0)
            arena_free(sections[i]);
    arena_free(live_section);
}

static bool open_tables(struct recorder *recorder, bool essential)
{
    uint32_t index;
    recorder->live = arena_allocate(MPROF_SECTION_THREAD, recorder->number, sizeof *recorder->live,
                                    sizeof *recorder->live, essential, &index);
    if (recorder->live == NULL)
        return false;
    if (entry_table_open(recorder, essential) && partner_table_open(recorder, essential) &&
        segment_table_open(recorder, essential))
        return true;
    give_sections_back(recorder->live, index);
    return false;
}

static bool open_recorder(struct recorder *recorder, bool essential)
{
    recorder->lock = (struct lock){0};
    recorder->number = recorder_pool.count;
    recorder->careful = counters_on;
    recorder->plain = true;
    last_calls_none(recorder);
    if (!open_tables(recorder, essential))
        return false;
    if (!essential) {
        time_bins_attach(recorder);
        last_calls_open(recorder);
        events_attach(recorder);
        cpu_time_open(recorder);
        cpu_samples_open(recorder);
    }
    recorder_pool.all[recorder_pool.count] = recorder;
    IN_ORDER();
    recorder_pool.count++;
    return true;
}

static struct recorder *make_recorder(void)
{
    struct recorder *recorder = map_private(sizeof *recorder);
    if (recorder == NULL || open_recorder(recorder, false))
        return recorder;
    unmap_memory(recorder, sizeof *recorder);
    return NULL;
}

static struct recorder *open_shared(void)
{
    memset(&shared_recorder, 0, sizeof shared_recorder);
    if (!open_recorder(&shared_recorder, true))
        return NULL;
    shared_recorder.shared = shared_recorder.careful = true;
    shared_recorder.plain = false;
    return &shared_recorder;
}

static struct recorder *take_recorder(void)
{
    struct recorder *recorder = recorder_pool.idle;
    if (recorder != NULL) {
        recorder_pool.idle = recorder->next;
        return recorder;
    }
    if (recorder_pool.count < MAX_RECORDERS - 1)
        recorder = make_recorder();
    if (recorder != NULL)
        return recorder;
    if (recorder_pool.shared == NULL)
        recorder_pool.shared = open_shared();
    return recorder_pool.shared;
}

struct recorder *recorder_attach(void (*at_thread_end)(void *recorder))
{
    if (!lock_take(&recorder_pool.lock)) {
        count_loss(&losses->lost_calls);
        return NULL;
    }
    if (!key_made)
        key_made = pthread_key_create(&thread_ended, at_thread_end) == 0;
    struct recorder *recorder = take_recorder();
    if (recorder != NULL && !recorder->shared)
        recorder->live->last_function = 0; /* of another thread */
    if (recorder != NULL)
        recorder->live->threads++;
    else
        count_loss(&losses->lost_calls); /* the call that asks; the next one asks anew */
    if (recorder != NULL && recorder->left_ticks != 0)
        thread_state.mpi_ticks = recorder->left_mpi_ticks + (clock_ticks() - recorder->left_ticks);
    if (recorder != NULL && key_made && !recorder->shared)
        recorder->owner = &thread_state;
    lock_give(&recorder_pool.lock);
    if (recorder != NULL && key_made)
        pthread_setspecific(thread_ended, recorder);
    if (recorder != NULL && key_made)
        cpu_samples_attach(recorder);
    if (recorder != NULL)
        events_look(recorder, clock_ticks());
    return recorder;
}

/* ---- while the record moves ------------------------------------------------------------------ */

/* At most so long is waited for threads in calls, and for those that are inside MPI. Threads may
 * have to wait for a CPU in between. */
enum { HOLD_PAUSES = 4000, HOLD_PAUSES_IN_MPI = 1000 };

/* The locks that the thread took that holds the others. */
static struct {
    bool has_pool;
    bool has_shared;
} held;

static bool is_held(const struct recorder *recorder, int pauses)
{
    const struct thread_state *owner = recorder->owner;
    return owner == NULL || owner == &thread_state ||
           __atomic_load_n(&owner->depth, __ATOMIC_ACQUIRE) == 0 ||
           __atomic_load_n(&owner->waits_for, __ATOMIC_ACQUIRE) == recorders_hold_now() ||
           (pauses > HOLD_PAUSES_IN_MPI &&
            __atomic_load_n(&recorder->live->in_call, __ATOMIC_RELAXED) != 0);
}

static bool all_are_held(int pauses)
{
    for (uint32_t i = 0; i < recorder_pool.count; i++)
        if (!is_held(recorder_pool.all[i], pauses))
            return false;
    return true;
}

static bool has_others(void)
{
    for (uint32_t i = 0; i < recorder_pool.count; i++)
        if (recorder_pool.all[i]->owner != NULL && recorder_pool.all[i]->owner != &thread_state)
            return true;
    return false;
}

/* A new generation of paths sends each thread to find_slowly() (callsites.c) at its next call. One
 * that passed there before may have taken the new generation along, so all must be seen held twice,
 * with another generation in between. A thread writes its depth before it reads the generation, and
 * a pause is long enough for the one to be seen by all. */
void recorders_hold(void)
{
    held.has_pool = lock_take(&recorder_pool.lock);
    held.has_shared = recorder_pool.shared != NULL && lock_take(&recorder_pool.shared->lock);
    __atomic_add_fetch(&recorders_hold_number, 1, __ATOMIC_SEQ_CST);
    int program_errno = errno;
    int seen = has_others() ? 0 : 2;
    for (int pauses = 0; seen < 2 && pauses < HOLD_PAUSES; pauses++) {
        callsites_forget();
        recorders_pause();
        seen = all_are_held(pauses) ? seen + 1 : 0;
    }
    errno = program_errno;
}

void recorders_release(void)
{
    __atomic_add_fetch(&recorders_hold_number, 1, __ATOMIC_SEQ_CST);
    if (recorder_pool.shared != NULL)
        lock_give_if(&recorder_pool.shared->lock, held.has_shared);
    lock_give_if(&recorder_pool.lock, held.has_pool);
}

/* The key goes as well: its destructor would give the parent's recorder to a child's thread. */
void threads_forget(void)
{
    if (key_made)
        pthread_key_delete(thread_ended);
    key_made = false;
    recorders_forget();
}

/* ---- the record of the process --------------------------------------------------------------- */

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
