/* The recorders of all threads, what is the thread's own (recorder.h), and the record of the
 * process (record.h). Nothing here is on the hot path. */
#include "record/state/recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/private_memory.h"
#include "record/paths/path_cache.h"
#include "record/state/record.h"

struct recorder_pool recorder_pool;

__thread struct thread_state thread_state
    __attribute__((tls_model("initial-exec"))) = {.paths = &callsites_no_cache};

void thread_drop_scratch(void)
{
    struct thread_state *thread = &thread_state;
    if (thread->scratch != NULL)
        unmap_memory(thread->scratch, thread->scratch_bytes);
    thread->scratch = NULL;
    thread->scratch_bytes = 0;
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
        thread_drop_scratch();
        thread->scratch = memory;
        thread->scratch_bytes = wanted;
    }
    return thread->scratch;
}

/* ---- while the record moves ------------------------------------------------------------------ */

enum { HOLD_PAUSE_NS = 50000, RELEASE_PAUSES = 200000 };

uint32_t recorders_hold_number;

void recorders_pause(void)
{
    static const struct timespec pause = {0, HOLD_PAUSE_NS};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

void recorder_wait_for_release(void)
{
    struct thread_state *thread = &thread_state;
    const int program_errno = errno;
    const uint32_t number = recorders_hold_now();
    __atomic_store_n(&thread->waits_for, number, __ATOMIC_RELEASE);
    for (int i = 0; recorders_hold_now() == number && (number & 1) != 0 && i < RELEASE_PAUSES; i++)
        recorders_pause();
    __atomic_store_n(&thread->waits_for, 0, __ATOMIC_RELEASE);
    errno = program_errno;
}

void recorders_visit(void (*visit)(struct recorder *recorder, void *context), void *context)
{
    const bool is_taken = lock_take(&recorder_pool.lock);
    for (uint32_t i = 0; i < recorder_pool.count; i++)
        visit(recorder_pool.all[i], context);
    lock_give_if(&recorder_pool.lock, is_taken);
}

struct sum_context {
    struct function_sum *sums;
    uint32_t functions;
    uint64_t read_ticks;
    struct busiest_thread busiest;
};

static uint64_t gpu_ticks_of(const struct recorder *recorder)
{
    uint64_t ticks = 0;
    for (int i = 0; recorder->gpu != NULL && i < MPROF_GPU_CLASSES; i++)
        ticks += recorder->gpu->ticks[i];
    return ticks;
}

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
    if ((int64_t)thread_ticks > (int64_t)target->busiest.mpi_ticks)
        target->busiest = (struct busiest_thread){thread_ticks, gpu_ticks_of(recorder)};
}

struct busiest_thread recorders_sum(struct function_sum *sums, uint32_t functions,
                                    uint64_t read_ticks)
{
    struct sum_context context = {sums, functions, read_ticks, {0, 0}};
    recorders_visit(add_recorder, &context);
    return context.busiest;
}

void recorders_unlock_in_child(void)
{
    for (uint32_t i = 0; i < recorder_pool.count; i++)
        recorder_pool.all[i]->lock = (struct lock){0};
    recorders_hold_number += recorders_hold_number & 1;
}

void recorders_forget(void)
{
    memset(&recorder_pool, 0, sizeof recorder_pool);
    recorder_pool.lock = (struct lock){0};
}

/* ---- the record of the process --------------------------------------------------------------- */

struct lock record_lock;
struct record record;

static struct mprof_run unrecorded;
struct mprof_run *losses = &unrecorded;

void losses_forget(void)
{
    losses = &unrecorded;
}
