/* Calls of a GPU's driver (gpu_calls.h). A row is made at the first call of a thread: programs
 * without a GPU have none. */
#include "record/calls/gpu_calls.h"

#include <errno.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/hot.h"
#include "base/lock.h"
#include "record/cpu/cpu_time.h"
#include "record/paths/own_stack.h"
#include "record/state/record.h"
#include "record/state/recorder.h"
#include "store/arena.h"

static struct {
    struct lock lock;
    uint32_t rows; /* pieces of the section */
    struct mprof_gpu *of_process;
    bool is_full; /* no room for another row */
    uint64_t not_seen;
} all;

/* With the lock held. */
static struct mprof_gpu *new_row(uint32_t thread)
{
    uint32_t index;
    struct mprof_gpu *row =
        arena_allocate(MPROF_SECTION_GPU, all.rows, sizeof *row, sizeof *row, false, &index);
    all.is_full = row == NULL;
    if (row == NULL)
        return NULL;
    all.rows++;
    row->thread = thread;
    row->not_seen = all.not_seen;
    all.not_seen = 0;
    IN_ORDER();
    row->in_use = 1;
    return row;
}

static COLD void make_row(struct mprof_gpu **row, uint32_t thread)
{
    const int program_errno = errno;
    cancellation_hold();
    if (lock_take(&all.lock)) {
        if (*row == NULL)
            *row = new_row(thread);
        lock_give(&all.lock);
    }
    cancellation_release();
    errno = program_errno;
}

/* NULL = there is none. */
static struct mprof_gpu *row_of(struct recorder *recorder)
{
    const bool is_own = recorder != NULL && !recorder->shared;
    struct mprof_gpu **row = is_own ? &recorder->gpu : &all.of_process;
    if (*row == NULL && !all.is_full)
        make_row(row, is_own ? recorder->number : MPROF_GPU_NO_THREAD);
    return *row;
}

/* Returns the time again. */
static COLD uint64_t look_at_cpu(uint64_t now_ticks)
{
    if (own_stack_is_short())
        return now_ticks;
    cancellation_hold();
    cpu_time_around_gpu();
    cancellation_release();
    return clock_ticks();
}

void gpu_calls_not_seen(uint64_t functions)
{
    struct mprof_gpu *row = all.of_process;
    __atomic_store_n(row != NULL ? &row->not_seen : &all.not_seen, functions, __ATOMIC_RELAXED);
}

void gpu_calls_forget(void)
{
    const uint64_t not_seen = all.not_seen;
    all.lock = (struct lock){0};
    all.rows = 0;
    all.of_process = NULL;
    all.is_full = false;
    all.not_seen = not_seen;
}

bool gpu_call_begin(struct gpu_call *call)
{
    struct thread_state *thread = &thread_state;
    if (record.stopped || !record.begun || thread->depth != 0)
        return false;
    if (thread->gpu.outermost != NULL && (const void *)call < thread->gpu.outermost)
        return false;
    call->row = row_of(thread->recorder);
    if (call->row == NULL)
        return false;
    thread->gpu.outermost = call;
    const uint64_t now = clock_ticks();
    call->start_ticks = cpu_time_is_due_around_gpu(now) ? look_at_cpu(now) : now;
    return true;
}

static void add(uint64_t *sum, uint64_t more, bool is_shared)
{
    if (is_shared)
        __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
    else
        *sum += more;
}

static void add_to_row(struct mprof_gpu *row, enum mprof_gpu_class class, uint64_t ticks,
                       const struct gpu_moved *moved)
{
    const bool is_shared = row->thread == MPROF_GPU_NO_THREAD;
    add(&row->calls[class], 1, is_shared);
    add(&row->ticks[class], ticks, is_shared);
    if (moved->direction == MPROF_GPU_DIRECTIONS)
        return;
    add(&row->copies[moved->direction], 1, is_shared);
    add(&row->bytes[moved->direction], moved->bytes, is_shared);
}

static enum gpu_state state_of(enum mprof_gpu_class class)
{
    if (class == MPROF_GPU_WAIT || class == MPROF_GPU_POLL)
        return GPU_WAITING;
    return class == MPROF_GPU_COPY ? GPU_COPYING : GPU_LAUNCHING;
}

/* The record may have ended meanwhile, and this may be a child of fork(). */
void gpu_call_end(struct gpu_call *call, enum mprof_gpu_class class, const struct gpu_moved *moved)
{
    struct thread_state *thread = &thread_state;
    const uint64_t now = clock_ticks();
    const uint64_t ticks = now - call->start_ticks;
    if (thread->gpu.outermost != call)
        return;
    thread->gpu.outermost = NULL;
    if (record.stopped)
        return;
    add_to_row(call->row, class, ticks, moved);
    call->row->last_ticks = now;
    if (call->row->thread == MPROF_GPU_NO_THREAD)
        return;
    thread->gpu.ticks += ticks;
    if (thread->gpu.from_ticks == 0)
        thread->gpu.from_ticks = call->start_ticks;
    thread->gpu.state_ticks[state_of(class)] += ticks;
    if (cpu_time_is_due_around_gpu(now))
        look_at_cpu(now);
}
