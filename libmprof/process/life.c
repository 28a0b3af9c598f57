/* The life of the process (life.h).
 *
 *   first MPI call   options, clock, arena in anonymous memory, this thread's recorder
 *   MPI_Init         time 0; then rank, folder and run id are agreed on, the arena becomes a file
 *   MPI_Finalize     the summary; then the finished file takes the live file's place
 *   exit, abort      the live file stays, with the reason if it could be written down
 *
 * A child of fork() inherits the mapping of its parent's file. It lets go of it and stops recording
 * (stop_in_child). If MPI had not begun in the parent it may begin in the child, which is then a
 * process as any other: the first MPI call there forgets all that is the parent's and opens a
 * record (begin_anew). Else only the child that begins MPI itself has a record.
 */
#define _GNU_SOURCE
#include "life.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "arrival.h"
#include "baseline.h"
#include "call.h"
#include "counters.h"
#include "finish.h"
#include "float_state.h"
#include "forget.h"
#include "identity.h"
#include "live_file.h"
#include "mpi_functions.h"
#include "options.h"
#include "own_file.h"
#include "polls.h"
#include "rank_tree.h"
#include "samples.h"
#include "summary.h"
#include "warn.h"

static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    bool opened;       /* the first call was seen */
    bool stopped;      /* nothing is recorded any more, or never was */
    bool finished;     /* for the rank file is finished */
    bool forked;       /* this is a child, and all here is its parent's */
    bool has_file;     /* the arena is the rank file */
    bool initialized;  /* MPI_Init was called */
    bool begun;        /* time 0 is set, by MPI_Init or a session */
    bool learned;      /* mpi_services->learn() was called */
    uint32_t sessions; /* open */
    struct mprof_run *run;
    struct mprof_clock *clock;
    struct identity identity;
} life;

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* In a child, which has this one thread. It may be inside an MPI call, in a callback: that call is
 * to end as it would. */
static void stop_in_child(void)
{
    struct thread_state *thread = &thread_state;
    struct thread_state fresh = {.recorder = NULL};
    if (!thread->paused) {
        fresh.depth = thread->depth;
        fresh.outermost = thread->outermost;
    }
    life.stopped = true;
    life.forked = true;
    pthread_mutex_init(&life_lock, NULL);
    arena_detach_in_child();
    recorders_unlock_in_child();
    counters_stop_in_child();
    *thread = fresh;
}

static bool watch_forks(void)
{
    static bool watched; /* children inherit it */
    watched = watched || pthread_atfork(NULL, NULL, stop_in_child) == 0;
    return watched;
}

/* With the lock held. */
static void begin_anew(void)
{
    warnings_forget();
    counters_forget();
    samples_forget();
    live_file_forget();
    recorders_forget();
    callsites_forget_all();
    modules_forget();
    regions_forget();
    journals_forget();
    comms_forget();
    handles_forget();
    arena_forget();
    memset(&life, 0, sizeof life);
}

static bool begins_mpi(uint16_t function)
{
    return function == FN_MPI_Init || function == FN_MPI_Init_thread ||
           function == FN_MPI_Session_init;
}

/* Where MPI had begun in the parent, a child's calls are about the parent's MPI. */
static bool may_begin_anew(const struct call *call)
{
    return life.forked && (!life.begun || begins_mpi(call_function(call)));
}

static bool write_function_names(void)
{
    size_t bytes = 1;
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++)
        bytes += strlen(mpi_function_names[i]) + 1;
    uint32_t index;
    char *names = arena_allocate(MPROF_SECTION_FUNCTIONS, 0, bytes, 1, false, &index);
    if (names == NULL)
        return false;
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++)
        names = stpcpy(names, mpi_function_names[i]) + 1;
    return true;
}

/* Time 0 of the rank. */
static void begin_time(void)
{
    if (life.begun)
        return;
    life.run->start_realtime_ns = realtime_ns();
    life.clock->start = clock_pair();
    life.clock->latest = life.clock->start;
    thread_state.last_stop_ticks = life.clock->start.ticks_after;
}

static bool open_record(void)
{
    uint32_t index;
    options_read();
    clock_choose();
    callsites_open((uint32_t)options.callsites);
    if (!arena_open(options.memory_bytes) || !handles_open() || !write_function_names())
        return false;
    life.run =
        arena_allocate(MPROF_SECTION_RUN, 0, sizeof *life.run, sizeof *life.run, false, &index);
    life.clock = arena_allocate(MPROF_SECTION_CLOCK, 0, sizeof *life.clock, sizeof *life.clock,
                                false, &index);
    if (life.run == NULL || life.clock == NULL)
        return false;
    life.run->process_id = (uint32_t)getpid();
    life.clock->kind = clock_kind;
    life.clock->read_ticks = clock_read_cost();
    life.clock->record_ticks = recorder_cost();
    if (options.sample != 0)
        polls_open(life.clock->read_ticks, life.clock->record_ticks);
    samples_open();
    counters_open(options.counters);
    begin_time(); /* until MPI_Init says otherwise, time 0 is now */
    return watch_forks();
}

/* A program that has more rights than who started it (setuid) is not profiled: it would write with
 * these rights where the environment says. */
static void open_life(void)
{
    pthread_mutex_lock(&life_lock);
    if (life.forked)
        begin_anew();
    if (!life.opened) {
        life.opened = true;
        bool privileged = getauxval(AT_SECURE) != 0;
        life.stopped = privileged || !open_record();
        if (life.stopped && !privileged)
            warn("no memory for the record (MPROF_MEMORY); this process is not profiled");
    }
    pthread_mutex_unlock(&life_lock);
}

static struct recorder *attach(void)
{
    int program_errno = errno; /* what is called from here is ours */
    float_state program_float = float_hold();
    open_life();
    if (!life.stopped)
        thread_state.recorder = recorder_attach();
    if (thread_state.recorder != NULL)
        counters_attach();
    float_release(program_float);
    errno = program_errno;
    return thread_state.recorder;
}

bool call_begin_slowly(struct call *call)
{
    struct thread_state *thread = &thread_state;
    if (thread->depth != 0 && call_is_nested(call))
        return false;
    if (life.stopped && !may_begin_anew(call))
        return false;
    call_count_left();
    thread->outermost = call;
    thread->depth = 1;
    if (thread->recorder != NULL)
        return true; /* the call that set `depth` was left by a jump */
    call->recorder = attach();
    if (call->recorder == NULL)
        thread->depth = 0;
    return call->recorder != NULL;
}

void life_after_hidden_fork(void)
{
    struct call *call = (struct call *)(uintptr_t)thread_state.outermost;
    stop_in_child();
    if (!may_begin_anew(call) || attach() == NULL)
        return; /* the call goes on with what is nobody's record now */
    call->recorder = thread_state.recorder;
    call->word = entry_word(call_function(call), 0, MPROF_COMM_SLOT_NONE, MPROF_KIND_CALL);
}

void life_before_init(void)
{
    samples_take(MPROF_SAMPLE_INIT_ENTERED);
    begin_time();
    life.begun = true;
}

static void fill_header(const struct identity *identity)
{
    struct mprof_file_header *header = arena_header();
    header->run_id = identity->run_id;
    header->world = identity->world;
    header->rank = (uint32_t)identity->rank;
    header->ranks = (uint32_t)identity->ranks;
}

/* Once it is known who this is: from now on the record is a file. */
static void begin_file(void)
{
    struct identity *identity = &life.identity;
    fill_header(identity);
    life.run->abi = mpi_services->abi;
    identity_write_texts(identity);
    if (identity->folder[0] != '\0')
        life.has_file = live_file_begin(identity);
    if (identity->folder[0] != '\0' && !life.has_file)
        warn("cannot write %s: %s; this rank leaves no profile", identity->path, strerror(errno));
}

/* The file that was begun by a session joins those of the other ranks. */
static void move_file(const struct identity *before)
{
    struct identity *identity = &life.identity;
    const bool moves = identity->folder[0] != '\0' && strcmp(before->path, identity->path) != 0;
    if (moves && own_file_rename(before->path, identity->path))
        arena_file_renamed(before->path, identity->path);
    else if (moves || identity->folder[0] == '\0')
        *identity = *before;
    if (identity->folder[0] != '\0')
        fill_header(identity);
}

/* All ranks take part, also those whose file was begun by a session: the others cannot know which
 * these are. */
static void agree_on_file(void)
{
    const struct identity before = life.identity;
    identity_agree(&life.identity);
    warn_set_quiet(life.identity.rank != 0 && options.verbose == 0);
    pthread_mutex_lock(&life_lock);
    if (life.has_file)
        move_file(&before);
    else
        begin_file();
    pthread_mutex_unlock(&life_lock);
}

/* The bill for what libmprof does inside MPI_Init and MPI_Finalize. */
static void bill_own_time(uint64_t begin_ns)
{
    counters_skip();
    life.clock->latest = clock_pair();
    life.run->own_ns += clock_monotonic_ns() - begin_ns;
}

/* With the lock held: other threads use what is learnt, with sessions of their own. */
static void learn_once(void)
{
    if (!life.learned)
        mpi_services->learn();
    life.learned = true;
}

/* In MPI_Finalize. */
static bool is_anything_asked_of_others(void)
{
    return summary_is_wanted() || options.baseline != 0;
}

void life_after_init(uint32_t thread_level)
{
    uint64_t begin_ns = clock_monotonic_ns();
    int program_errno = errno;
    float_state program_float = float_hold();
    samples_take(MPROF_SAMPLE_INIT_LEFT);
    pthread_mutex_lock(&life_lock);
    life.initialized = true;
    life.run->thread_level = thread_level;
    handles_assume_one_at_a_time(thread_level < 3 && life.sessions == 0);
    learn_once();
    mpi_services->enter_world();
    comms_open();
    pthread_mutex_unlock(&life_lock);
    mpi_services->world(&life.identity.rank, &life.identity.ranks);
    tree_open(life.identity.rank, life.identity.ranks);
    agree_on_file();
    bill_own_time(begin_ns);
    float_release(program_float);
    errno = program_errno;
}

void life_before_session_init(void)
{
    life_before_init();
}

void life_after_session_init(uint64_t session)
{
    uint64_t begin_ns = clock_monotonic_ns();
    int program_errno = errno;
    float_state program_float = float_hold();
    samples_take(MPROF_SAMPLE_INIT_LEFT);
    pthread_mutex_lock(&life_lock);
    life.sessions++;
    handles_assume_one_at_a_time(false); /* each session has a thread level of its own */
    learn_once();
    struct identity *identity = &life.identity;
    int rank = 0;
    int ranks = 1;
    if (mpi_services->enter_session(session, &rank, &ranks) && !life.initialized &&
        !life.has_file) {
        identity->rank = rank;
        identity->ranks = ranks;
        warn_set_quiet(identity->rank != 0 && options.verbose == 0);
        identity_alone(identity);
        begin_file();
    }
    pthread_mutex_unlock(&life_lock);
    bill_own_time(begin_ns);
    float_release(program_float);
    errno = program_errno;
}

void life_session_unseen(void)
{
    if (life.finished)
        warn("a session was opened after MPI_Finalize: what is called from now on is not recorded");
}

bool life_before_session_finalize(uint64_t session)
{
    return mpi_services->leave_session(session);
}

void life_after_session_finalize(uint64_t session, bool closed)
{
    int rank;
    int ranks;
    pthread_mutex_lock(&life_lock);
    if (!closed)
        mpi_services->enter_session(session, &rank, &ranks);
    else if (life.sessions > 0)
        life.sessions--;
    pthread_mutex_unlock(&life_lock);
}

/* Everything about the process that is known at its end only. */
static void note_end(enum mprof_end end, int code)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    life.run->user_ns =
        (uint64_t)usage.ru_utime.tv_sec * 1000000000u + (uint64_t)usage.ru_utime.tv_usec * 1000u;
    life.run->system_ns =
        (uint64_t)usage.ru_stime.tv_sec * 1000000000u + (uint64_t)usage.ru_stime.tv_usec * 1000u;
    life.run->peak_memory_bytes = samples_peak_bytes();
    life.run->record_bytes = arena_used_bytes();
    life.run->stop_realtime_ns = realtime_ns();
    life.run->end_code = code;
    life.run->end = (uint32_t)end;
    life.clock->latest = clock_pair();
}

/* All that libmprof asks of the other ranks at the end. Only the wait for them is MPI_Finalize's
 * own time: it would wait, too. Returns how many ticks it took. */
static uint64_t end_together(void)
{
    uint64_t begin = clock_ticks();
    bool all_are_here = arrival_wait();
    uint64_t waited = clock_ticks() - begin;
    note_end(MPROF_END_NONE, 0);
    if (all_are_here && options.baseline != 0)
        all_are_here = baseline_measure(life.identity.ranks);
    if (summary_is_wanted())
        all_are_here = summary_print(&life.identity, life.run, life.clock, life.has_file,
                                     all_are_here, waited);
    if (arrival_leave(all_are_here))
        tree_close();
    return waited;
}

void life_sample(uint64_t now_ticks)
{
    uint64_t begin_ns = clock_monotonic_ns();
    if (!samples_take_running(now_ticks))
        return;
    counters_skip();
    __atomic_fetch_add(&life.run->own_ns, clock_monotonic_ns() - begin_ns, __ATOMIC_RELAXED);
}

uint64_t life_before_finalize(void)
{
    uint64_t begin_ns = clock_monotonic_ns();
    uint64_t begin = clock_ticks();
    uint64_t waited = 0;
    int program_errno = errno;
    float_state program_float = float_hold();
    samples_take(MPROF_SAMPLE_FINALIZE_ENTERED);
    note_end(MPROF_END_NONE, 0);
    if (life.initialized && is_anything_asked_of_others())
        waited = end_together();
    comms_close();
    if (life.initialized)
        mpi_services->leave_world();
    counters_skip();
    uint64_t own = clock_ticks() - begin - waited;
    life.run->own_ns += scale_uint64(clock_monotonic_ns() - begin_ns, own, own + waited);
    float_release(program_float);
    errno = program_errno;
    return own;
}

/* The record ends here; the finished file takes its place. */
static void finish(void)
{
    int program_errno = errno;
    float_state program_float = float_hold();
    counters_close();
    note_end(MPROF_END_FINALIZE, 0);
    life.stopped = true;
    life.finished = true;
    thread_state.recorder = NULL;
    if (life.has_file && finish_file(life.identity.path))
        live_file_end();
    else if (life.has_file)
        warn("cannot finish %s: %s; the live file stays", life.identity.path, strerror(errno));
    float_release(program_float);
    errno = program_errno;
}

void life_after_finalize(void)
{
    if (life.sessions == 0)
        finish();
}

void life_before_abort(int code)
{
    samples_take(MPROF_SAMPLE_RUNNING);
    note_end(MPROF_END_ABORT, code);
}

/* exit() or return from main: the good end of a program with sessions, or one without MPI_Finalize.
 */
static __attribute__((destructor)) void note_exit(void)
{
    if (!life.has_file || life.stopped || life.run->process_id != (uint32_t)getpid() ||
        life.run->end != MPROF_END_NONE)
        return;
    int finalized = 1;
    samples_take(MPROF_SAMPLE_RUNNING);
    if (life.initialized)
        finalized = mpi_services->is_finalized();
    if (life.sessions == 0 && finalized)
        finish();
    else
        note_end(MPROF_END_EXIT, 0);
}
