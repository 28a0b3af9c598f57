/* Making recorders and handing them to threads (threads.h). Nothing here is on the hot path. */
#include "record/calls/threads.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/private_memory.h"
#include "record/counters/counters.h"
#include "record/cpu/cpu_samples.h"
#include "record/cpu/cpu_time.h"
#include "record/paths/callsites.h"
#include "record/paths/modules.h"
#include "record/state/record.h"
#include "record/tables/entry_rows.h"
#include "record/tables/partner_table.h"
#include "record/tables/segment_table.h"
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

/* The key goes, too: its destructor would give the parent's recorder to a thread of the child. */
void threads_forget(void)
{
    if (key_made)
        pthread_key_delete(thread_ended);
    key_made = false;
    recorders_forget();
}
