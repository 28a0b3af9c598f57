/* Making recorders, handing them to threads, and adding them up (recorder.h). Nothing here is on
 * the hot path; the tables' hot path is in entry_table.c and partner_table.c. */
#include "record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/forget.h"
#include "base/locks/lock.h"
#include "base/private_memory.h"
#include "record/call.h"
#include "record/callsites.h"
#include "record/counters/counters.h"
#include "record/cpu/cpu_samples.h"
#include "record/cpu/cpu_time.h"
#include "record/losses.h"
#include "record/tables/tables.h"
#include "record/time/events.h"
#include "record/time/last_calls.h"
#include "record/time/time_bins.h"
#include "store/arena.h"

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

static struct {
    struct lock lock;
    pthread_key_t thread_ended;
    bool key_made;
    struct recorder *all[MAX_RECORDERS];
    uint32_t count;
    struct recorder *idle;
    struct recorder *shared; /* when there is no room for more */
} pool;

__thread struct thread_state thread_state
    __attribute__((tls_model("initial-exec"))) = {.paths = &callsites_no_cache};

static void drop_scratch(struct thread_state *thread)
{
    if (thread->scratch != NULL)
        unmap_memory(thread->scratch, thread->scratch_bytes);
    thread->scratch = NULL;
    thread->scratch_bytes = 0;
}

static void give_back(void *recorder_of_ended_thread)
{
    struct recorder *recorder = recorder_of_ended_thread;
    call_count_left();
    drop_scratch(&thread_state);
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
    if (!lock_take(&pool.lock))
        return; /* nobody takes it over */
    recorder->owner = NULL;
    recorder->next = pool.idle;
    pool.idle = recorder;
    lock_give(&pool.lock);
}

void recorder_forget_rows(struct recorder *recorder)
{
    for (int i = 0; i < REQUEST_ROWS; i++)
        recorder->request_rows[i].word = REQUEST_ROWS_UNKNOWN;
    callsites_forget_rows();
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
    recorder->number = pool.count;
    recorder->careful = counters_on;
    recorder->plain = true;
    recorder_forget_rows(recorder);
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
    pool.all[pool.count] = recorder;
    IN_ORDER();
    pool.count++;
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
    struct recorder *recorder = pool.idle;
    if (recorder != NULL) {
        pool.idle = recorder->next;
        return recorder;
    }
    if (pool.count < MAX_RECORDERS - 1)
        recorder = make_recorder();
    if (recorder != NULL)
        return recorder;
    if (pool.shared == NULL)
        pool.shared = open_shared();
    return pool.shared;
}

struct recorder *recorder_attach(void)
{
    if (!lock_take(&pool.lock)) {
        count_loss(&losses->lost_calls);
        return NULL;
    }
    if (!pool.key_made)
        pool.key_made = pthread_key_create(&pool.thread_ended, give_back) == 0;
    struct recorder *recorder = take_recorder();
    if (recorder != NULL && !recorder->shared)
        recorder->live->last_function = 0; /* of another thread */
    if (recorder != NULL)
        recorder->live->threads++;
    else
        count_loss(&losses->lost_calls); /* the call that asks; the next one asks anew */
    if (recorder != NULL && recorder->left_ticks != 0)
        thread_state.mpi_ticks = recorder->left_mpi_ticks + (clock_ticks() - recorder->left_ticks);
    if (recorder != NULL && pool.key_made && !recorder->shared)
        recorder->owner = &thread_state;
    lock_give(&pool.lock);
    if (recorder != NULL && pool.key_made)
        pthread_setspecific(pool.thread_ended, recorder);
    if (recorder != NULL && pool.key_made)
        cpu_samples_attach(recorder);
    if (recorder != NULL)
        events_look(recorder, clock_ticks());
    return recorder;
}

/* ---- while the record moves ------------------------------------------------------------------ */

/* At most so long is waited for threads in calls, and for those that are inside MPI. Threads may
 * have to wait for a CPU in between. */
enum {
    HOLD_PAUSE_NS = 50000,
    HOLD_PAUSES = 4000,
    HOLD_PAUSES_IN_MPI = 1000,
    RELEASE_PAUSES = 200000
};

uint32_t recorders_hold_number;

/* The locks that the thread took that holds the others. */
static struct {
    bool has_pool;
    bool has_shared;
} held;

/* Not a cancellation point, as usleep() is. */
static void pause_a_little(void)
{
    static const struct timespec pause = {0, HOLD_PAUSE_NS};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

static uint32_t hold_number(void)
{
    return __atomic_load_n(&recorders_hold_number, __ATOMIC_ACQUIRE);
}

static bool is_held(const struct recorder *recorder, int pauses)
{
    const struct thread_state *owner = recorder->owner;
    return owner == NULL || owner == &thread_state ||
           __atomic_load_n(&owner->depth, __ATOMIC_ACQUIRE) == 0 ||
           __atomic_load_n(&owner->waits_for, __ATOMIC_ACQUIRE) == hold_number() ||
           (pauses > HOLD_PAUSES_IN_MPI &&
            __atomic_load_n(&recorder->live->in_call, __ATOMIC_RELAXED) != 0);
}

static bool all_are_held(int pauses)
{
    for (uint32_t i = 0; i < pool.count; i++)
        if (!is_held(pool.all[i], pauses))
            return false;
    return true;
}

static bool has_others(void)
{
    for (uint32_t i = 0; i < pool.count; i++)
        if (pool.all[i]->owner != NULL && pool.all[i]->owner != &thread_state)
            return true;
    return false;
}

/* A new generation of paths sends each thread to find_slowly() (callsites.c) at its next call. One
 * that passed there before may have taken the new generation along, so all must be seen held twice,
 * with another generation in between. A thread writes its depth before it reads the generation, and
 * a pause is long enough for the one to be seen by all. */
void recorders_hold(void)
{
    held.has_pool = lock_take(&pool.lock);
    held.has_shared = pool.shared != NULL && lock_take(&pool.shared->lock);
    __atomic_add_fetch(&recorders_hold_number, 1, __ATOMIC_SEQ_CST);
    int program_errno = errno;
    int seen = has_others() ? 0 : 2;
    for (int pauses = 0; seen < 2 && pauses < HOLD_PAUSES; pauses++) {
        callsites_forget();
        pause_a_little();
        seen = all_are_held(pauses) ? seen + 1 : 0;
    }
    errno = program_errno;
}

void recorders_release(void)
{
    __atomic_add_fetch(&recorders_hold_number, 1, __ATOMIC_SEQ_CST);
    if (pool.shared != NULL)
        lock_give_if(&pool.shared->lock, held.has_shared);
    lock_give_if(&pool.lock, held.has_pool);
}

void recorder_wait_for_release(void)
{
    struct thread_state *thread = &thread_state;
    const int program_errno = errno;
    const uint32_t number = hold_number();
    __atomic_store_n(&thread->waits_for, number, __ATOMIC_RELEASE);
    for (int i = 0; hold_number() == number && (number & 1) != 0 && i < RELEASE_PAUSES; i++)
        pause_a_little();
    __atomic_store_n(&thread->waits_for, 0, __ATOMIC_RELEASE);
    errno = program_errno;
}

void recorders_visit(void (*visit)(struct recorder *recorder, void *context), void *context)
{
    const bool is_taken = lock_take(&pool.lock);
    for (uint32_t i = 0; i < pool.count; i++)
        visit(pool.all[i], context);
    lock_give_if(&pool.lock, is_taken);
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

void *thread_scratch(size_t bytes)
{
    struct thread_state *thread = &thread_state;
    if (bytes > thread->scratch_bytes) {
        size_t wanted = 16384;
        while (wanted < bytes)
            wanted *= 2;
        void *memory = map_private(wanted);
        if (memory == NULL)
            return NULL;
        drop_scratch(thread);
        thread->scratch = memory;
        thread->scratch_bytes = wanted;
    }
    return thread->scratch;
}

struct sum_context {
    struct function_sum *sums;
    uint32_t functions;
    uint64_t read_ticks;
    uint64_t busiest_ticks;
};

static uint64_t net_ticks(const struct mprof_entry *entry, uint64_t read_ticks)
{
    /* A receive may be posted on one thread and completed on another: then one thread's share is
     * negative. */
    int64_t net = (int64_t)(entry->ticks - entry->calls * read_ticks);
    return (int64_t)entry->calls > 0 && net < 0 ? 0 : (uint64_t)net;
}

static void add_recorder(struct recorder *recorder, void *context)
{
    struct sum_context *target = context;
    uint64_t thread_ticks = 0;
    for (uint32_t i = 0; i <= recorder->entry_mask; i++) {
        const struct mprof_entry *entry = &recorder->entries[i];
        if (entry->in_use == 0 || entry->function >= target->functions)
            continue;
        struct function_sum *sum = &target->sums[entry->function];
        if (entry->kind == MPROF_KIND_CALL || entry->kind == MPROF_KIND_PENDING) {
            uint64_t ticks = net_ticks(entry, target->read_ticks);
            sum->calls += entry->calls;
            sum->ticks += ticks;
            thread_ticks += ticks;
        }
        if (entry->kind != MPROF_KIND_RECEIVED && entry->kind != MPROF_KIND_COMPLETION)
            sum->bytes += entry->bytes;
    }
    if ((int64_t)thread_ticks > (int64_t)target->busiest_ticks)
        target->busiest_ticks = thread_ticks;
}

uint64_t recorders_sum(struct function_sum *sums, uint32_t functions, uint64_t read_ticks)
{
    struct sum_context context = {sums, functions, read_ticks, 0};
    recorders_visit(add_recorder, &context);
    return context.busiest_ticks;
}

uint64_t recorder_cost(void)
{
    enum { SAMPLES = 31, CALLS = 64, CAPACITY = 64 };
    struct trial {
        struct recorder recorder;
        struct mprof_entry table[CAPACITY];
    } *trial = map_private(sizeof *trial);
    uint64_t cost[SAMPLES];
    if (trial == NULL)
        return 0;
    trial->recorder.entries = trial->table;
    trial->recorder.entry_mask = CAPACITY - 1;
    trial->recorder.entry_limit = CAPACITY;
    for (int sample = 0; sample < SAMPLES; sample++) {
        uint64_t begin = clock_ticks();
        for (uint64_t call = 0; call < CALLS; call++) {
            struct entry_key key = {.size = call % 8 * 8, .word = call % 4};
            uint64_t start = clock_ticks();
            record_call(&trial->recorder, &key, clock_ticks() - start);
        }
        cost[sample] = (clock_ticks() - begin) / CALLS;
    }
    unmap_memory(trial, sizeof *trial);
    return clock_median(cost, SAMPLES);
}

void recorders_unlock_in_child(void)
{
    for (uint32_t i = 0; i < pool.count; i++)
        pool.all[i]->lock = (struct lock){0};
    recorders_hold_number += recorders_hold_number & 1;
}

/* The key goes, too: its destructor would give the parent's recorder to a thread of the child. */
void recorders_forget(void)
{
    if (pool.key_made)
        pthread_key_delete(pool.thread_ended);
    memset(&pool, 0, sizeof pool);
    pool.lock = (struct lock){0};
}
