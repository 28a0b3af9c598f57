/* The life of the process (life.h).
 *
 *   first MPI call   options, clock, arena in anonymous memory, this thread's recorder
 *   MPI_Init         time 0; afterwards rank, folder and run id are agreed on and the arena becomes
 * the rank file MPI_Finalize     the summary; afterwards the finished file takes the live file's
 * place exit, abort      the live file stays, with the reason if there was a chance to write it
 * down
 *
 * A forked child inherits the mapping of its parent's file: it stops recording (stop_in_child).
 */
#define _GNU_SOURCE
#include "life.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "call.h"
#include "finish.h"
#include "identity.h"
#include "mpi_functions.h"
#include "options.h"
#include "summary.h"
#include "warn.h"

static struct {
    pthread_mutex_t lock;
    bool opened;   /* the first call was seen */
    bool stopped;  /* nothing is recorded any more, or never was */
    bool has_file; /* the arena is the rank file */
    struct mprof_run *run;
    struct mprof_clock *clock;
    struct identity identity;
} life = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void stop_in_child(void)
{
    life.stopped = true;
    thread_state.recorder = NULL;
}

static bool write_function_names(void)
{
    size_t bytes = 1;
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++)
        bytes += strlen(mpi_function_names[i]) + 1;
    uint32_t index;
    char *names = arena_allocate(MPROF_SECTION_FUNCTIONS, 0, bytes, 1, 0, &index);
    if (names == NULL)
        return false;
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++)
        names = stpcpy(names, mpi_function_names[i]) + 1;
    return true;
}

static bool open_record(void)
{
    uint32_t index;
    options_read();
    clock_choose();
    if (!arena_open(options.memory_bytes) || !handles_open() || !write_function_names())
        return false;
    life.run = arena_allocate(MPROF_SECTION_RUN, 0, sizeof *life.run, sizeof *life.run, 0, &index);
    life.clock =
        arena_allocate(MPROF_SECTION_CLOCK, 0, sizeof *life.clock, sizeof *life.clock, 0, &index);
    if (life.run == NULL || life.clock == NULL)
        return false;
    life.run->process_id = (uint32_t)getpid();
    life.clock->kind = clock_kind;
    life.clock->read_ticks = clock_read_cost();
    life.clock->record_ticks = recorder_cost();
    life_before_init(); /* until MPI_Init says otherwise, time 0 is now */
    return pthread_atfork(NULL, NULL, stop_in_child) == 0;
}

bool call_begin_slowly(struct call *call)
{
    struct thread_state *thread = &thread_state;
    if (thread->depth != 0 || life.stopped)
        return false;
    int program_errno = errno;
    thread->depth = 1; /* what is called from here is ours */
    pthread_mutex_lock(&life.lock);
    if (!life.opened) {
        life.opened = true;
        life.stopped = !open_record();
        if (life.stopped)
            warn("no memory for the record (MPROF_MEMORY); this process is not profiled");
    }
    pthread_mutex_unlock(&life.lock);
    if (!life.stopped)
        thread->recorder = recorder_attach();
    call->recorder = thread->recorder;
    if (call->recorder == NULL)
        thread->depth = 0;
    errno = program_errno;
    return call->recorder != NULL;
}

void life_before_init(void)
{
    life.run->start_realtime_ns = realtime_ns();
    life.clock->start = clock_pair();
    life.clock->latest = life.clock->start;
}

static void fill_header(const struct identity *identity)
{
    struct mprof_file_header *header = arena_header();
    header->run_id = identity->run_id;
    header->world = identity->world;
    header->rank = (uint32_t)identity->rank;
    header->ranks = (uint32_t)identity->ranks;
}

void life_after_init(uint32_t thread_level)
{
    uint64_t begin_ns = clock_monotonic_ns();
    int program_errno = errno;
    struct identity *identity = &life.identity;
    comms_open();
    identity_agree(identity);
    warn_set_quiet(identity->rank != 0 && options.verbose == 0);
    fill_header(identity);
    life.run->abi = mpi_services->abi;
    life.run->thread_level = thread_level;
    identity_write_texts(identity);
    if (identity->folder[0] != '\0')
        life.has_file = arena_to_file(identity->path);
    if (identity->folder[0] != '\0' && !life.has_file)
        warn("cannot write %s: %s; this rank leaves no profile", identity->path, strerror(errno));
    life.clock->latest = clock_pair();
    life.run->own_ns += clock_monotonic_ns() - begin_ns;
    errno = program_errno;
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
    life.run->peak_memory_bytes = (uint64_t)usage.ru_maxrss * 1024u;
    life.run->record_bytes = arena_used_bytes();
    life.run->stop_realtime_ns = realtime_ns();
    life.run->end_code = code;
    life.run->end = (uint32_t)end;
    life.clock->latest = clock_pair();
}

void life_before_finalize(void)
{
    uint64_t begin_ns = clock_monotonic_ns();
    int program_errno = errno;
    note_end(MPROF_END_NONE, 0);
    summary_print(&life.identity, life.run, life.clock, life.has_file);
    comms_close();
    life.run->own_ns += clock_monotonic_ns() - begin_ns;
    errno = program_errno;
}

void life_after_finalize(void)
{
    int program_errno = errno;
    uint64_t begin_ns = clock_monotonic_ns();
    note_end(MPROF_END_FINALIZE, 0);
    life.stopped = true;
    thread_state.recorder = NULL;
    life.run->own_ns += clock_monotonic_ns() - begin_ns;
    if (life.has_file && !finish_file(life.identity.path))
        warn("cannot finish %s: %s; the live file stays", life.identity.path, strerror(errno));
    errno = program_errno;
}

void life_before_abort(int code)
{
    note_end(MPROF_END_ABORT, code);
}

/* exit() or return from main without MPI_Finalize. */
static __attribute__((destructor)) void note_exit(void)
{
    if (life.has_file && !life.stopped && life.run->process_id == (uint32_t)getpid() &&
        life.run->end == MPROF_END_NONE)
        note_end(MPROF_END_EXIT, 0);
}
