/* Calls of a GPU's driver (gpu_calls.h). A row is made at the first call of a thread: programs
 * without a GPU have none. Paths are those of MPI calls (callsites.h): the frames of a runtime that
 * calls the driver for the program are part of them. */
#include "record/calls/gpu_calls.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/gpu.h"
#include "base/hot.h"
#include "base/lock.h"
#include "mpi/mpi_services.h"
#include "record/calls/call.h"
#include "record/calls/gpu_activity.h"
#include "record/calls/gpu_buffers.h"
#include "record/calls/gpu_cupti.h"
#include "record/calls/gpu_kernels.h"
#include "record/cpu/cpu_time.h"
#include "record/paths/call_stack.h"
#include "record/state/record.h"
#include "record/state/recorder.h"
#include "record/time/polls.h"
#include "store/arena.h"

/* ---- calls ----------------------------------------------------------------------------------- */

static struct {
    struct lock lock;
    uint32_t rows;  /* pieces of the section */
    uint32_t sites; /* likewise, of call sites */
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
    row->sends_from_gpu = (uint32_t)(mpi_services->sends_from_gpu() + 1);
    IN_ORDER();
    row->in_use = 1;
    return row;
}

/* Without room there is no table. */
static void open_sites(struct recorder *recorder)
{
    uint32_t index;
    if (recorder->gpu_sites != NULL)
        return;
    recorder->gpu_sites = arena_allocate(MPROF_SECTION_GPU_SITES, all.sites,
                                         GPU_SITE_ROWS * sizeof *recorder->gpu_sites,
                                         sizeof *recorder->gpu_sites, false, &index);
    all.sites += recorder->gpu_sites != NULL;
}

/* `recorder` is NULL for the row of the process. */
static COLD void make_row(struct mprof_gpu **row, struct recorder *recorder)
{
    const int program_errno = errno;
    cancellation_hold();
    gpu_cupti_start();
    mpi_services->follow_buffers();
    if (lock_take(&all.lock)) {
        if (*row == NULL)
            *row = new_row(recorder != NULL ? recorder->number : MPROF_GPU_NO_THREAD);
        if (*row != NULL && recorder != NULL)
            open_sites(recorder);
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
        make_row(row, is_own ? recorder : NULL);
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
    all.rows = all.sites = 0;
    all.of_process = NULL;
    all.is_full = false;
    all.not_seen = not_seen;
    gpu_kernels_forget();
    gpu_buffers_forget();
    gpu_cupti_forget();
}

/* A child that was made without the handlers of fork() has no paths. While a thread looks for one
 * the record does not move (recorders_hold()). */
static uint32_t callsite_of(const struct gpu_call *call, const struct gpu_origin *origin)
{
    struct thread_state *thread = &thread_state;
    if (call->row->thread == MPROF_GPU_NO_THREAD || thread->recorder->gpu_sites == NULL ||
        (thread->paths != &callsites_no_cache && thread->paths->generation == 0))
        return 0;
    const void *outermost = thread->outermost;
    const int program_errno = errno;
    thread->outermost = call;
    thread->depth = 1;
    const uint32_t callsite = call_find_path(origin->return_address, origin->cfa)->callsite;
    thread->depth = 0;
    thread->outermost = outermost;
    errno = program_errno;
    return callsite;
}

static void tell_activity(const struct thread_state *thread, uint64_t now_ticks, bool enters)
{
    const struct recorder *recorder = thread->recorder;
    if (recorder != NULL && recorder->number == 0 && !recorder->shared)
        gpu_activity_host(now_ticks, thread->mpi_ticks, enters);
}

static void add(uint64_t *sum, uint64_t more, bool is_shared)
{
    if (is_shared)
        __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
    else
        *sum += more;
}

/* `waited` of the ticks are those of a copy that waited for kernels before it. */
static void add_to_row(struct mprof_gpu *row, enum mprof_gpu_class class, uint64_t ticks,
                       uint64_t waited, const struct gpu_moved *moved)
{
    const bool is_shared = row->thread == MPROF_GPU_NO_THREAD;
    add(&row->calls[class], 1, is_shared);
    add(&row->ticks[class], ticks - waited, is_shared);
    if (waited != 0)
        add(&row->ticks[MPROF_GPU_WAIT], waited, is_shared);
    if (moved->direction == MPROF_GPU_DIRECTIONS)
        return;
    add(&row->copies[moved->direction], 1, is_shared);
    add(&row->bytes[moved->direction], moved->bytes, is_shared);
    if (moved->direction > MPROF_GPU_FROM_DEVICE || moved->memory >= MPROF_GPU_HOST_KINDS)
        return;
    add(&row->host_bytes[moved->direction][moved->memory], moved->bytes, is_shared);
    if (moved->memory == MPROF_MEMORY_HOST)
        add(&row->pageable_ticks, ticks - waited, is_shared);
}

static COLD uint32_t make_row_of_kernel(uint32_t kernel)
{
    const int program_errno = errno;
    uint32_t row = 0;
    cancellation_hold();
    if (lock_take(&all.lock)) {
        row = gpu_kernel_row(kernel);
        lock_give(&all.lock);
    }
    cancellation_release();
    errno = program_errno;
    return row;
}

/* The record's row of a kernel; of one that has none yet it is made. */
static uint32_t row_of_kernel(uint32_t kernel)
{
    const uint32_t row = gpu_kernel_known_row(kernel);
    return row != 0 || kernel == 0 ? row : make_row_of_kernel(kernel);
}

static struct mprof_gpu_site *find_site(struct mprof_gpu_site *rows, uint32_t callsite,
                                        enum mprof_gpu_class class, uint32_t kernel)
{
    enum { PROBES = 16, OWN = GPU_SITE_ROWS - MPROF_GPU_CLASSES };
    const uint32_t hash =
        ((callsite * MPROF_GPU_CLASSES + class) * GPU_KERNELS + kernel) * 0x9e3779b9u;
    for (uint32_t i = 0; callsite != 0 && i < PROBES; i++) {
        struct mprof_gpu_site *row = &rows[MPROF_GPU_CLASSES + (hash + i) % OWN];
        if (row->in_use == 0 ||
            (row->callsite == callsite && row->kind == class && row->kernel == kernel))
            return row;
    }
    return &rows[class];
}

/* A new row is in use when it is whole. */
static struct mprof_gpu_site *site_for(struct mprof_gpu_site *rows, const struct gpu_call *call,
                                       enum mprof_gpu_class class)
{
    const bool waits = class == MPROF_GPU_WAIT || class == MPROF_GPU_POLL;
    const uint32_t kernel = waits ? call->kernel : 0;
    struct mprof_gpu_site *row = find_site(rows, call->callsite, class, kernel);
    if (row->in_use == 0) {
        const bool is_apart = row >= rows + MPROF_GPU_CLASSES;
        row->thread = call->row->thread;
        row->kind = class;
        row->callsite = is_apart ? call->callsite : 0;
        row->kernel = is_apart ? kernel : 0;
        IN_ORDER();
        row->in_use = 1;
    }
    return row;
}

static void add_to_site(struct mprof_gpu_site *rows, const struct gpu_call *call,
                        enum mprof_gpu_class class, uint64_t ticks, const struct gpu_moved *moved)
{
    struct mprof_gpu_site *row = site_for(rows, call, class);
    row->calls++;
    row->ticks += ticks;
    if (class == MPROF_GPU_COPY) {
        row->bytes += moved->bytes;
        row->pageable_bytes += moved->memory == MPROF_MEMORY_HOST ? moved->bytes : 0;
    }
    if (ticks > row->most_ticks)
        row->most_ticks = ticks;
}

static enum gpu_state state_of(enum mprof_gpu_class class)
{
    if (class == MPROF_GPU_WAIT || class == MPROF_GPU_POLL)
        return GPU_WAITING;
    return class == MPROF_GPU_COPY ? GPU_COPYING : GPU_LAUNCHING;
}

/* What a copy waited is of the kernel that was launched last. */
static void add_to_sites(struct mprof_gpu_site *rows, struct gpu_call *call,
                         enum mprof_gpu_class class, uint64_t ticks, uint64_t waited,
                         const struct gpu_moved *moved)
{
    add_to_site(rows, call, class, ticks - waited, moved);
    if (waited == 0)
        return;
    call->kernel = row_of_kernel(gpu_kernel_before(GPU_ANY_STREAM));
    add_to_site(rows, call, MPROF_GPU_WAIT, waited, moved);
}

static uint64_t ticks_waited(enum mprof_gpu_class class, const struct gpu_moved *moved,
                             uint64_t ticks, int error)
{
    if (class == MPROF_GPU_WAIT || (class == MPROF_GPU_POLL && error == 0))
        gpu_copies_waited();
    else if (class == MPROF_GPU_LAUNCH || moved->is_later)
        gpu_copies_launched();
    if (moved->is_freed)
        return gpu_free_wait_ticks(ticks);
    return class == MPROF_GPU_COPY ? gpu_copy_wait_ticks(moved, ticks) : 0;
}

/* The thread's own: what it did in the driver since `from_ticks`. */
static void add_to_thread(struct thread_gpu *gpu, enum gpu_state state, uint64_t from_ticks,
                          uint64_t ticks)
{
    gpu->ticks += ticks;
    if (gpu->from_ticks == 0)
        gpu->from_ticks = from_ticks;
    gpu->state_ticks[state] += ticks;
}

/* ---- polls without the clock ----------------------------------------------------------------- */

/* A loop of polls (gpu_polls.h) is of a thread with a record of its own. Each poll is counted when
 * it ends; its time comes with the next read of the clock. */

/* Of MPI's limit for a hot poll: a call of a GPU's driver takes a microsecond or two. */
enum { HOT_FACTOR = 4 };

static struct gpu_poll poll_of(const struct thread_state *thread, const struct gpu_origin *origin)
{
    return (struct gpu_poll){.return_address = origin->return_address,
                             .cfa = origin->cfa,
                             .mpi_ticks = thread->mpi_ticks,
                             .mpi_polls = thread->polls_left,
                             .kernel = origin->kernel};
}

/* What polls took that went without the clock. */
static void settle_polls(struct thread_state *thread, uint64_t now_ticks, enum gpu_polls_end end)
{
    struct recorder *recorder = thread->recorder;
    struct gpu_poll_loop *loop = &recorder->gpu_polls;
    const uint32_t polls = loop->pending;
    const uint64_t from_ticks = loop->last_ticks;
    if (polls == 0)
        return;
    const uint64_t ticks = gpu_polls_settle(loop, now_ticks, end);
    recorder->gpu->ticks[MPROF_GPU_POLL] += ticks;
    recorder->gpu->last_ticks = now_ticks;
    if (recorder->gpu_sites != NULL) {
        const struct gpu_call call = {
            .row = recorder->gpu, .callsite = loop->callsite, .kernel = loop->kernel_row};
        struct mprof_gpu_site *site = site_for(recorder->gpu_sites, &call, MPROF_GPU_POLL);
        site->calls += polls;
        site->ticks += ticks;
    }
    add_to_thread(&thread->gpu, GPU_WAITING, from_ticks, ticks);
}

/* While it is in progress, all since the last read of the clock is (mprof_gpu.in_call). */
static bool begin_untimed(struct thread_state *thread, struct gpu_call *call,
                          const struct gpu_origin *origin)
{
    struct gpu_poll_loop *loop = &thread->recorder->gpu_polls;
    loop->now = poll_of(thread, origin);
    if (gpu_activity_is_on || !gpu_polls_goes_untimed(loop))
        return false;
    call->start_ticks = 0;
    call->row->call_ticks = loop->last_ticks;
    IN_ORDER();
    call->row->in_call = 1 + (uint32_t)MPROF_GPU_POLL;
    return true;
}

static void end_untimed(struct thread_state *thread, const struct gpu_call *call, int error)
{
    call->row->calls[MPROF_GPU_POLL]++;
    call->row->in_call = 0;
    if (error == GPU_NOT_READY)
        return;
    thread->recorder->gpu_polls.busy_ticks = 0;
    settle_polls(thread, clock_ticks(), GPU_POLLS_AFTER);
    if (error == 0)
        gpu_copies_waited();
}

/* A timed call begins. */
static void settle_before(struct thread_state *thread, enum mprof_gpu_class class,
                          uint64_t now_ticks)
{
    struct gpu_poll_loop *loop = &thread->recorder->gpu_polls;
    const bool follows = class == MPROF_GPU_POLL && gpu_polls_follows(loop);
    settle_polls(thread, now_ticks, follows ? GPU_POLLS_BEFORE : GPU_POLLS_ELSEWHERE);
    if (class != MPROF_GPU_POLL)
        loop->is_broken = true;
}

static void note_timed_poll(struct thread_state *thread, const struct gpu_call *call,
                            uint64_t now_ticks, int error)
{
    struct gpu_poll_loop *loop = &thread->recorder->gpu_polls;
    if (error != GPU_NOT_READY)
        loop->busy_ticks = 0;
    else if (loop->busy_ticks == 0 || !gpu_polls_follows(loop))
        loop->busy_ticks = now_ticks;
    gpu_polls_timed(loop, call->start_ticks, now_ticks, HOT_FACTOR * polls_hot_ticks);
    loop->callsite = call->callsite;
    loop->kernel_row = call->kernel;
}

/* Has the last poll said that work has not ended, and is this the next one? */
static bool goes_on_waiting(const struct thread_state *thread, enum mprof_gpu_class class)
{
    const struct gpu_poll_loop *loop = &thread->recorder->gpu_polls;
    return class == MPROF_GPU_POLL && loop->busy_ticks != 0 && gpu_polls_follows(loop);
}

/* Between two polls that say so the GPU was not ready. If the program did hardly anything else, it
 * was waiting for the GPU, also where it slept or had no CPU: with one it would have asked again.
 */
static COLD void look_behind_poll(struct thread_state *thread, const struct gpu_call *call,
                                  uint64_t now_ticks)
{
    enum { COMPUTING_LEAST_NS = 50000 }; /* a sleep and the readings take up to 40 us of a CPU */
    struct gpu_poll_loop *loop = &thread->recorder->gpu_polls;
    const uint64_t polls = call->row->calls[MPROF_GPU_POLL] - loop->polls_read;
    loop->polls_read += polls;
    if (loop->busy_ticks == 0 || loop->busy_ticks > thread->cpu.last.ticks ||
        own_stack_is_short()) {
        look_at_cpu(now_ticks);
        return;
    }
    cancellation_hold();
    const uint64_t waited = cpu_time_between_polls(polls * COMPUTING_LEAST_NS);
    cancellation_release();
    if (waited != 0 && thread->recorder->gpu_sites != NULL)
        site_for(thread->recorder->gpu_sites, call, MPROF_GPU_POLL)->ticks += waited;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Rows of the process have many calls at a time. */
static void tell_progress(const struct gpu_call *call, enum mprof_gpu_class class)
{
    struct mprof_gpu *row = call->row;
    if (row->thread == MPROF_GPU_NO_THREAD)
        return;
    row->call_ticks = call->start_ticks;
    row->call_callsite = call->callsite;
    row->call_kernel = call->kernel;
    IN_ORDER();
    row->in_call = 1 + (uint32_t) class;
}

static void begin_timed(struct thread_state *thread, struct gpu_call *call,
                        enum mprof_gpu_class class, const struct gpu_origin *origin)
{
    const bool has_sites = call->row->thread != MPROF_GPU_NO_THREAD;
    call->callsite = callsite_of(call, origin);
    call->kernel = has_sites ? row_of_kernel(origin->kernel) : 0;
    const uint64_t now = clock_ticks();
    if (has_sites)
        settle_before(thread, class, now);
    if (gpu_activity_is_on)
        tell_activity(thread, now, true);
    const bool looks =
        cpu_time_is_due_around_gpu(now) && !(has_sites && goes_on_waiting(thread, class));
    call->start_ticks = looks ? look_at_cpu(now) : now;
    tell_progress(call, class);
}

bool gpu_call_begin(struct gpu_call *call, enum mprof_gpu_class kind,
                    const struct gpu_origin *origin)
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
    const bool may_be_untimed = kind == MPROF_GPU_POLL && call->row->thread != MPROF_GPU_NO_THREAD;
    if (!may_be_untimed || !begin_untimed(thread, call, origin))
        begin_timed(thread, call, kind, origin);
    return true;
}

/* Is the record that it was begun with still this thread's own? */
static bool is_own(const struct thread_state *thread, const struct gpu_call *call)
{
    return call->row->thread != MPROF_GPU_NO_THREAD && thread->recorder != NULL &&
           thread->recorder->gpu == call->row;
}

/* Of a call that has ended on this thread, with a record of its own. */
static void add_own(struct thread_state *thread, struct gpu_call *call, enum mprof_gpu_class class,
                    uint64_t ticks, uint64_t waited, const struct gpu_moved *moved)
{
    if (thread->recorder->gpu_sites != NULL)
        add_to_sites(thread->recorder->gpu_sites, call, class, ticks, waited, moved);
    add_to_thread(&thread->gpu, state_of(class), call->start_ticks, ticks - waited);
    add_to_thread(&thread->gpu, GPU_WAITING, call->start_ticks, waited);
}

static void end_timed(struct thread_state *thread, struct gpu_call *call,
                      enum mprof_gpu_class class, struct gpu_moved *moved, int error)
{
    const uint64_t now = clock_ticks();
    const uint64_t ticks = now - call->start_ticks;
    if (gpu_activity_is_on)
        tell_activity(thread, now, false);
    moved->memory = gpu_host_kind(moved->host);
    const uint64_t waited = ticks_waited(class, moved, ticks, error);
    if (class == MPROF_GPU_COPY)
        gpu_buffers_copied(moved, ticks - waited);
    add_to_row(call->row, class, ticks, waited, moved);
    call->row->last_ticks = now;
    call->row->in_call = 0;
    if (!is_own(thread, call))
        return;
    add_own(thread, call, class, ticks, waited, moved);
    if (class == MPROF_GPU_POLL)
        note_timed_poll(thread, call, now, error);
    if (!cpu_time_is_due_around_gpu(now))
        return;
    if (class == MPROF_GPU_POLL)
        look_behind_poll(thread, call, now);
    else
        look_at_cpu(now);
}

/* The record may have ended meanwhile, and this may be a child of fork(). */
void gpu_call_end(struct gpu_call *call, enum mprof_gpu_class kind, struct gpu_moved *moved,
                  int error)
{
    struct thread_state *thread = &thread_state;
    if (thread->gpu.outermost != call)
        return;
    thread->gpu.outermost = NULL;
    if (record.stopped)
        return;
    if (call->start_ticks != 0)
        end_timed(thread, call, kind, moved, error);
    else if (is_own(thread, call))
        end_untimed(thread, call, error);
}
