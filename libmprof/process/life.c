/* The life of the process (life.h).
 *
 *   first MPI call   the record is opened (record/calls/attach.h)
 *   MPI_Init         time 0, and a row in the roster; then rank, folder and run id are agreed on,
 * the arena becomes a file MPI_Finalize     the summary; then the finished file takes the live
 * file's place. With MPROF_FILES=job the record ends before the MPI's own MPI_Finalize, because the
 * files are sent to the first rank exit, abort      the live file stays, with the reason if it
 * could be written down
 *
 * A child of fork() with a record of its own starts from the beginning (forget_parent).
 */
#define _GNU_SOURCE
#include "process/life.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/float_state.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "base/warn.h"
#include "file/identity.h"
#include "file/live_file.h"
#include "finalize/finalize.h"
#include "mpi/rank_tree.h"
#include "mpi/roster.h"
#include "record/calls/attach.h"
#include "record/calls/call.h"
#include "record/calls/gpu_activity.h"
#include "record/calls/gpu_calls.h"
#include "record/calls/gpu_cupti.h"
#include "record/calls/nccl_calls.h"
#include "record/counters/counters.h"
#include "record/cpu/cpu_samples.h"
#include "record/cpu/early_samples.h"
#include "record/cpu/samples.h"
#include "record/objects/handles.h"
#include "record/objects/parallel_regions.h"
#include "record/paths/callsites.h"
#include "store/arena.h"

static struct {
    bool finished;     /* the record */
    bool is_placed;    /* its finished file is where it belongs */
    bool has_file;     /* the arena is the rank file */
    bool initialized;  /* MPI_Init was called */
    bool learned;      /* mpi_services->learn() was called */
    bool is_one_file;  /* the run has MPROF_FILES=job */
    bool is_apart;     /* the record, begun by a session, is of another run than MPI_Init's */
    bool all_are_here; /* in MPI_Finalize, and answer */
    bool collects;     /* the others wait for what this rank gives to the file of the job */
    bool is_held;      /* that file has it */
    uint32_t sessions; /* open */
    struct mprof_clock_pair end; /* of the program's time, once MPI_Finalize is over */
    struct identity identity;
} life;

/* What exit() was given, from then on. */
static struct {
    bool is_awaited;
    bool is_known;
    int status;
} exit_status;

static void forget_parent(void)
{
    gpu_calls_forget();
    nccl_forget();
    bystander_forget();
    roster_forget();
    live_file_forget();
    events_file_forget();
    identity_forget();
    memset(&life, 0, sizeof life);
}

/* Where the program calls exit() or abort(), if it does so in the middle of the run and outside
 * MPI: in a call it is the MPI that does, or a handler. */
static void keep_exit_path(const void *return_address, const void *frame)
{
    if (life.initialized && !life.finished && !record.stopped && thread_state.depth == 0 &&
        thread_state.recorder != NULL)
        record.run->exit_callsite = callsite_make_long(return_address, frame)->callsite;
}

static void keep_exit_status(int status, void *unused)
{
    (void)unused;
    exit_status.status = status;
    exit_status.is_known = true;
    keep_exit_path(__builtin_return_address(0), path_wrapper_frame());
}

/* Only such a handler gets the status. It must not be there sooner: handlers that are registered
 * before the program's main() run after the destructors. */
static void await_exit_status(void)
{
    if (!__atomic_exchange_n(&exit_status.is_awaited, true, __ATOMIC_RELAXED))
        (void)on_exit(keep_exit_status, NULL);
}

static void begin_time(void)
{
    struct own_work work;
    own_work_begin(&work);
    await_exit_status();
    samples_take(MPROF_SAMPLE_INIT_ENTERED);
    parallel_open();
    own_work_end(&work);
    record_begin_time(); /* last: the rest is no time of the program */
    record.begun = true;
}

void life_at_start(void)
{
    if (mpi_services != NULL && options_want_cpu_samples() && roster_room() == ROOM_FOR_EACH)
        early_samples_begin();
}

/* Samples come before the time begins: the kernel may take 100 ms to open the machine's first
 * event. */
void life_before_init(void)
{
    struct own_work work;
    own_work_begin(&work);
    early_samples_end(thread_state.recorder);
    cpu_samples_expect_turns(roster_room() == ROOM_LACKS);
    own_work_end(&work);
    begin_time();
    const uint64_t begin_ns = clock_monotonic_ns();
    own_work_begin(&work);
    roster_enter();
    own_work_end(&work);
    record.run->own_ns += clock_monotonic_ns() - begin_ns;
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
static void begin_file(bool knows_others)
{
    struct identity *identity = &life.identity;
    fill_header(identity);
    record.run->abi = mpi_services->abi;
    identity_write_texts(identity);
    if (identity->folder[0] != '\0') {
        recorders_hold();
        life.has_file = live_file_begin(identity, knows_others);
        recorders_release();
    }
    if (identity->folder[0] != '\0' && !life.has_file)
        warn("cannot write %s: %s; %s", identity->path, strerror(errno),
             life.is_one_file ? "until MPI_Finalize, the record is only in memory"
                              : "this rank leaves no profile");
}

/* The file that was begun by a session joins those of the other ranks. */
static void move_file(const struct identity *before)
{
    struct identity *identity = &life.identity;
    const bool moves = identity->folder[0] != '\0' && strcmp(before->path, identity->path) != 0;
    if (moves && own_file_rename(before->path, identity->path))
        arena_file_renamed(before->path, identity->path);
    else if (moves || identity->folder[0] == '\0') {
        *identity = *before;
        life.is_apart = true;
    }
    if (identity->folder[0] != '\0')
        fill_header(identity);
}

/* All ranks that are there take part, also those whose file was begun by a session: the others
 * cannot know which these are. */
static void agree_on_file(void)
{
    const struct identity before = life.identity;
    identity_agree(&life.identity);
    life.is_one_file = life.identity.is_one_file;
    warn_set_quiet(!tree_is_first() && options.verbose == 0);
    const bool is_taken = lock_take(&record_lock);
    if (life.has_file)
        move_file(&before);
    else
        begin_file(true);
    if (life.has_file)
        events_file_begin(&life.identity);
    lock_give_if(&record_lock, is_taken);
}

/* Adds libmprof's own time inside MPI_Init and MPI_Finalize to its overhead. */
static void bill_own_time(uint64_t begin_ns, const struct own_work *work)
{
    own_work_end(work);
    counters_skip();
    record.clock->latest = clock_pair();
    record.run->own_ns += clock_monotonic_ns() - begin_ns;
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
    return life.identity.has_summary || life.identity.has_baseline || life.is_one_file;
}

/* Ticks can be converted to ns once the run has a length. */
static void bill_watchers(void)
{
    const struct mprof_clock_pair now = clock_pair();
    const struct mprof_clock_pair *start = &record.clock->start;
    const uint64_t ticks = __atomic_exchange_n(&record.watch_ticks, 0, __ATOMIC_RELAXED);
    const uint64_t ns = scale_uint64(ticks, now.monotonic_ns - start->monotonic_ns,
                                     now.ticks_after - start->ticks_after);
    __atomic_fetch_add(&record.run->own_ns, ns, __ATOMIC_RELAXED);
}

/* Everything about the process that is known at its end only. */
static void note_end(enum mprof_end end, int code)
{
    const struct kernel_counts counts = program_counts();
    bill_watchers();
    record.run->user_ns = counts.user_ns;
    record.run->system_ns = counts.system_ns;
    record.run->peak_memory_bytes = samples_peak_bytes();
    record.run->record_bytes = arena_used_bytes();
    record.run->stop_realtime_ns = clock_realtime_ns();
    record.run->end_code = code;
    record.run->is_end_code_known =
        end == MPROF_END_ABORT || (end != MPROF_END_NONE && exit_status.is_known);
    record.run->end = (uint32_t)end;
    record.clock->latest = clock_pair();
}

static void end_record(int error)
{
    if (life.end.monotonic_ns == 0)
        life.end = clock_pair(); /* the rest is no time of the program */
    counters_close();
    note_end(MPROF_END_FINALIZE, error);
    record.clock->latest = life.end;
    record.stopped = true;
    life.finished = true;
    thread_state.recorder = NULL;
}

/* This rank is not among MPROF_RANKS. */
static void step_aside(void)
{
    warn_set_quiet(life.identity.rank != 0 && options.verbose == 0);
    if (!rank_list_has_some(options.ranks, life.identity.ranks))
        warn("MPROF_RANKS=%s names no rank of this job of %d; nothing is profiled", options.ranks,
             life.identity.ranks);
    life.initialized = false; /* as the others see it */
    end_record(0);
}

void life_after_init(uint32_t thread_level)
{
    uint64_t begin_ns = clock_monotonic_ns();
    int program_errno = errno;
    float_state program_float = float_hold();
    struct own_work work;
    own_work_begin(&work);
    samples_take(MPROF_SAMPLE_INIT_LEFT);
    const bool is_taken = lock_take(&record_lock);
    life.initialized = true;
    record.run->thread_level = thread_level;
    handles_assume_one_at_a_time(thread_level < 3 && life.sessions == 0);
    learn_once();
    mpi_services->enter_world();
    comms_open();
    lock_give_if(&record_lock, is_taken);
    mpi_services->world(&life.identity.rank, &life.identity.ranks);
    roster_close(life.identity.rank, life.identity.ranks);
    if (roster_is_left_out()) {
        step_aside();
    } else {
        tree_meet();
        agree_on_file();
    }
    conditions_note(MPROF_SAMPLE_INIT_LEFT);
    bill_own_time(begin_ns, &work);
    float_release(program_float);
    errno = program_errno;
}

void life_before_session_init(void)
{
    early_samples_end(thread_state.recorder);
    cpu_samples_expect_turns(false); /* the roster is for MPI_Init */
    begin_time();
}

void life_after_session_init(uint64_t session)
{
    uint64_t begin_ns = clock_monotonic_ns();
    int program_errno = errno;
    float_state program_float = float_hold();
    struct own_work work;
    own_work_begin(&work);
    samples_take(MPROF_SAMPLE_INIT_LEFT);
    const bool is_taken = lock_take(&record_lock);
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
        begin_file(false);
        if (life.has_file)
            events_file_begin(identity);
    }
    lock_give_if(&record_lock, is_taken);
    conditions_note(MPROF_SAMPLE_INIT_LEFT);
    bill_own_time(begin_ns, &work);
    float_release(program_float);
    errno = program_errno;
}

void life_session_unseen(void)
{
    if (record.failed)
        warn_set_quiet(false); /* its rank may never be known */
    if (life.finished)
        warn("a session was opened after MPI_Finalize: calls from now on are not recorded");
}

bool life_before_session_finalize(uint64_t session)
{
    return mpi_services->leave_session(session);
}

void life_after_session_finalize(uint64_t session, bool closed)
{
    int rank;
    int ranks;
    const bool is_taken = lock_take(&record_lock);
    if (!closed)
        mpi_services->enter_session(session, &rank, &ranks);
    else if (life.sessions > 0)
        life.sessions--;
    lock_give_if(&record_lock, is_taken);
}

/* All that libmprof asks of the other ranks at the end. Only the wait for them counts as
 * MPI_Finalize's time: without mprof it would have waited as well. A wait in vain is libmprof's.
 * Returns how many ticks are MPI_Finalize's. */
static uint64_t end_together(void)
{
    uint64_t begin = clock_ticks();
    life.all_are_here = arrival_wait(life.identity.is_with_first);
    const uint64_t waited = life.all_are_here ? clock_ticks() - begin : 0;
    note_end(MPROF_END_NONE, 0);
    if (life.all_are_here && life.identity.has_baseline)
        life.all_are_here = baseline_measure();
    if (life.identity.has_summary)
        life.all_are_here =
            summary_print(&life.identity, record.run, record.clock,
                          life.has_file || life.is_one_file, life.all_are_here, waited);
    life.collects = life.is_one_file && life.all_are_here;
    return waited;
}

/* Returns its ticks without those that it waited. */
static uint64_t bill_finalize(uint64_t begin_ns, uint64_t begin, uint64_t waited)
{
    const uint64_t own = clock_ticks() - begin - waited;
    record.run->own_ns += scale_uint64(clock_monotonic_ns() - begin_ns, own, own + waited);
    return own;
}

uint64_t life_before_finalize(void)
{
    uint64_t begin_ns = clock_monotonic_ns();
    uint64_t begin = clock_ticks();
    uint64_t waited = 0;
    int program_errno = errno;
    float_state program_float = float_hold();
    struct own_work work;
    own_work_begin(&work);
    samples_take(MPROF_SAMPLE_FINALIZE_ENTERED);
    conditions_note(MPROF_SAMPLE_FINALIZE_ENTERED);
    identity_write_late_texts();
    gpu_cupti_finish();
    own_work_end(&work);
    note_end(MPROF_END_NONE, 0);
    if (life.initialized && is_anything_asked_of_others())
        waited = end_together();
    counters_skip();
    const uint64_t own = bill_finalize(begin_ns, begin, waited);
    float_release(program_float);
    errno = program_errno;
    return own;
}

/* The first rank knows why there is no file of the job. If nobody had anything for it, nothing is
 * missing.
 */
static void warn_of_no_job_file(int error)
{
    if (tree_is_first() && error != ENODATA)
        warn("cannot write the file of the job into %s: %s; each node leaves a file",
             life.identity.folder,
             life.all_are_here ? strerror(error) : "not all ranks answered in time");
}

/* The others wait for this rank, which has nothing for them. */
static void help_others(void)
{
    bool holds_others;
    life.all_are_here = collect_files(&life.identity, NULL, 0, &holds_others);
    if (!holds_others)
        warn_of_no_job_file(errno);
}

uint64_t life_leave_others(void)
{
    uint64_t begin_ns = clock_monotonic_ns();
    uint64_t begin = clock_ticks();
    int program_errno = errno;
    float_state program_float = float_hold();
    if (life.collects)
        help_others();
    if (life.initialized && is_anything_asked_of_others() && arrival_leave(life.all_are_here))
        tree_close();
    comms_close();
    if (life.initialized) {
        mpi_services->leave_world();
        arrival_settle();
        roster_leave();
    }
    counters_skip();
    const uint64_t own = bill_finalize(begin_ns, begin, 0);
    float_release(program_float);
    errno = program_errno;
    return own;
}

/* The finished file takes the place of the live record. False with errno set. */
static bool place_file(put_finished *put)
{
    if (!finish_file(life.identity.path, put))
        return false;
    life.is_placed = true;
    if (life.is_held)
        live_file_remove(&life.identity);
    else
        live_file_end();
    return true;
}

static void finish(int error)
{
    int program_errno = errno;
    float_state program_float = float_hold();
    if (!life.finished)
        end_record(error);
    if (life.has_file && !life.is_placed && !place_file(finish_in_place))
        warn("cannot finish the record of rank %d in %s: %s; it stays as the program left it",
             life.identity.rank, life.identity.folder, strerror(errno));
    events_file_end();
    float_release(program_float);
    errno = program_errno;
}

/* Without the job's file each node leaves one. */
static bool put_in_job(const char *path, const void *file, size_t bytes)
{
    life.collects = false;
    life.all_are_here = collect_files(&life.identity, file, bytes, &life.is_held);
    const int error = errno;
    if (life.is_held)
        return true;
    if (!finish_in_place(path, file, bytes))
        return false;
    warn_of_no_job_file(error);
    return true;
}

void life_time_is_over(void)
{
    life.end = clock_pair();
}

bool life_ends_with_others(void)
{
    return life.collects && !life.is_apart && life.sessions == 0;
}

/* What fails here is tried again after MPI_Finalize, when MPI has given its memory back. */
void life_end_with_others(void)
{
    int program_errno = errno;
    float_state program_float = float_hold();
    end_record(0);
    (void)place_file(put_in_job);
    float_release(program_float);
    errno = program_errno;
}

void life_after_finalize(int error)
{
    if (life.sessions == 0 && (error == 0 || life.initialized))
        finish(error);
    else
        life.end = (struct mprof_clock_pair){0}; /* it goes on */
}

const char *life_folder(void)
{
    return life.identity.folder;
}

/* A record that no other process has, and whose end is not known yet. */
static bool is_open(void)
{
    return record.run != NULL && record.run->process_id == (uint32_t)getpid() &&
           record.run->end == MPROF_END_NONE;
}

void life_gives_up(const void *return_address, const void *frame)
{
    if (is_open())
        keep_exit_path(return_address, frame);
}

void life_end_in_call(int status)
{
    if (is_open())
        note_end(MPROF_END_ABORT, status);
}

static __attribute__((constructor)) void watch_record(void)
{
    record_begins_anew = forget_parent;
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
    if (!life.has_file || record.stopped || record.run->process_id != (uint32_t)getpid() ||
        record.run->end != MPROF_END_NONE)
        return;
    int finalized = 1;
    samples_take(MPROF_SAMPLE_RUNNING);
    gpu_activity_settle(); /* CUPTI may be gone by now */
    if (life.initialized)
        finalized = mpi_services->is_finalized();
    if (life.sessions == 0 && finalized)
        finish(0);
    else
        note_end(MPROF_END_EXIT, exit_status.status);
}
