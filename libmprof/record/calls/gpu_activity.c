/* Work of GPUs, added up (gpu_activity.h). */
#include "record/calls/gpu_activity.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/private_memory.h"
#include "record/state/record.h"
#include "record/time/time_bins.h"
#include "store/arena.h"

bool gpu_activity_is_on;

enum {
    NAMES = 512,    /* kernels that are told apart while the program runs */
    ORDERED = 4096, /* pieces of work that wait for earlier ones */
    DEVICES = 16,   /* the last one is all others */
    BINS = 256,
    STRETCHES = 8192 /* the last ones between two calls of the driver with MPI in between */
};
#define ORDERED_NS 3000000000ull
#define CLOCKS_DIFFER_NS 10000000ull /* CUPTI's and ours, at most */

struct piece {
    uint64_t start, end; /* ticks */
    uint32_t device;
    uint32_t layer;
};

struct kernel {
    uint64_t hash; /* of its whole name; 0 = free */
    struct mprof_gpu_work sum;
};

/* Between two calls of the driver the first thread was in MPI for a part of the time. */
struct stretch {
    uint64_t from, to, mpi;
};

struct sums {
    struct kernel kernels[NAMES];
    struct piece heap[ORDERED];
    struct stretch stretches[STRETCHES];
    struct mprof_gpu_work unnamed[MPROF_GPU_WORK_KINDS]; /* and kernels that had no place */
};
/* Only where CUPTI records: a process may have little room for addresses. */
static struct sums *all;
static uint32_t waiting;        /* in the heap */
static uint64_t newest_ticks;   /* begin of the newest piece so far */
static uint64_t latest_ticks;   /* a piece that ends later has a wrong end */
static uint64_t stretches;      /* so far */
static uint64_t host_ticks;     /* when the last call of the driver ended */
static uint64_t host_mpi_ticks; /* of the first thread, then */
static struct {
    bool is_seen;
    uint64_t last_start;            /* of the pieces in the sums */
    uint64_t end[MPROF_GPU_LAYERS]; /* of this layer and those before it, in the sums */
} devices[DEVICES];
static struct mprof_gpu_activity *activity;
static struct mprof_gpu_work *work; /* MPROF_GPU_WORK_KINDS rows, and MPROF_GPU_WORK_NAMES */
static struct mprof_gpu_busy *bins;
static struct lock activity_lock;

bool gpu_activity_open(enum mprof_gpu_source source, uint32_t error, uint32_t version)
{
    enum { ROWS = MPROF_GPU_WORK_KINDS + MPROF_GPU_WORK_NAMES };
    uint32_t index;
    activity = arena_allocate(MPROF_SECTION_GPU_ACTIVITY, 0, sizeof *activity, sizeof *activity,
                              false, &index);
    if (activity == NULL)
        return false;
    activity->error = error;
    activity->version = version;
    activity->begin_ticks = activity->end_ticks = record.clock->start.ticks_after;
    activity->source = source;
    IN_ORDER();
    activity->in_use = 1;
    if (source != MPROF_GPU_SOURCE_CUPTI)
        return false;
    work =
        arena_allocate(MPROF_SECTION_GPU_WORK, 0, ROWS * sizeof *work, sizeof *work, false, &index);
    bins =
        arena_allocate(MPROF_SECTION_GPU_BUSY, 0, BINS * sizeof *bins, sizeof *bins, false, &index);
    if (all == NULL)
        all = map_private(sizeof *all);
    return work != NULL && bins != NULL && all != NULL;
}

/* ---- when a GPU is busy ---------------------------------------------------------------------- */

static void halve_bins(void)
{
    for (uint32_t i = 0; i < BINS; i++) {
        const struct mprof_gpu_busy bin = bins[i];
        memset(&bins[i], 0, sizeof bins[i]);
        bins[i / 2].in_use |= bin.in_use;
        bins[i / 2].index = i / 2;
        for (size_t layer = 0; layer < MPROF_GPU_LAYERS; layer++)
            bins[i / 2].busy_ticks[layer] += bin.busy_ticks[layer];
    }
    activity->bin_ticks *= 2;
}

static void add_to_bins(uint32_t layer, uint64_t from, uint64_t to)
{
    const uint64_t begin = activity->begin_ticks;
    while (to > begin && (to - begin - 1) / activity->bin_ticks >= BINS)
        halve_bins();
    while (from < to) {
        const uint64_t index = (from - begin) / activity->bin_ticks;
        const uint64_t end = begin + (index + 1) * activity->bin_ticks;
        const uint64_t part = (end < to ? end : to) - from;
        bins[index].index = (uint32_t)index;
        bins[index].in_use = 1;
        bins[index].busy_ticks[layer] += part;
        from += part;
    }
}

/* MPI of the first thread from one time to another, as far as it is known. In a stretch it is taken
 * for even. */
static uint64_t mpi_between(uint64_t from, uint64_t to)
{
    const uint64_t count = __atomic_load_n(&stretches, __ATOMIC_ACQUIRE);
    const uint64_t oldest = count > STRETCHES ? count - STRETCHES : 0;
    uint64_t low = oldest, high = count, sum = 0;
    while (low < high) { /* the first one that ends behind `from` */
        const uint64_t middle = low + (high - low) / 2;
        if (all->stretches[middle % STRETCHES].to <= from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count; low++) {
        const struct stretch stretch = all->stretches[low % STRETCHES];
        const uint64_t begin = stretch.from > from ? stretch.from : from;
        const uint64_t end = stretch.to < to ? stretch.to : to;
        if (begin >= end)
            break;
        sum += scale_uint64(stretch.mpi, end - begin, stretch.to - stretch.from);
    }
    return sum < to - from ? sum : to - from;
}

static void note_idle(uint64_t from, uint64_t to)
{
    activity->between_ticks += to - from;
    activity->between_mpi_ticks += mpi_between(from, to);
}

/* Of each piece the sums get what is behind the end of those before it in time. */
static void put_in_order(const struct piece *piece)
{
    uint64_t *ends = devices[piece->device].end;
    if (!devices[piece->device].is_seen) {
        devices[piece->device].is_seen = true;
        activity->devices++;
        activity->outside_ticks += piece->start - activity->begin_ticks;
        for (size_t layer = 0; layer < MPROF_GPU_LAYERS; layer++)
            ends[layer] = piece->start;
    }
    activity->late += piece->start < devices[piece->device].last_start;
    devices[piece->device].last_start = piece->start;
    if (piece->start > ends[MPROF_GPU_LAYERS - 1])
        note_idle(ends[MPROF_GPU_LAYERS - 1], piece->start);
    for (uint32_t layer = piece->layer; layer < MPROF_GPU_LAYERS; layer++) {
        const uint64_t from = piece->start > ends[layer] ? piece->start : ends[layer];
        if (piece->end <= from)
            continue;
        activity->busy_ticks[layer] += piece->end - from;
        add_to_bins(layer, from, piece->end);
        ends[layer] = piece->end;
    }
    if (piece->end > activity->end_ticks)
        activity->end_ticks = piece->end;
}

static void sink(uint32_t at)
{
    const struct piece moved = all->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < waiting; at = child) {
        if (child + 1 < waiting && all->heap[child + 1].start < all->heap[child].start)
            child++;
        if (all->heap[child].start >= moved.start)
            break;
        all->heap[at] = all->heap[child];
    }
    all->heap[at] = moved;
}

/* The earliest piece goes to the sums. */
static void pop(void)
{
    const struct piece first = all->heap[0];
    all->heap[0] = all->heap[--waiting];
    if (waiting > 0)
        sink(0);
    put_in_order(&first);
}

static void push(const struct piece *piece)
{
    if (waiting == ORDERED)
        pop();
    uint32_t at = waiting++;
    for (; at > 0 && all->heap[(at - 1) / 2].start > piece->start; at = (at - 1) / 2)
        all->heap[at] = all->heap[(at - 1) / 2];
    all->heap[at] = *piece;
    if (piece->start > newest_ticks)
        newest_ticks = piece->start;
}

static uint64_t ticks_of(uint64_t ns)
{
    const struct mprof_clock_pair *start = &record.clock->start;
    return scale_uint64(ns, clock_ticks() - start->ticks_after,
                        clock_monotonic_ns() - start->monotonic_ns);
}

static void pop_old(void)
{
    const uint64_t old = ticks_of(ORDERED_NS);
    while (waiting > 0 && newest_ticks > old && all->heap[0].start < newest_ticks - old)
        pop();
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash != 0 ? hash : 1;
}

static void add_to_row(struct mprof_gpu_work *row, const struct gpu_activity *piece)
{
    const uint64_t ticks = piece->end_ticks - piece->start_ticks;
    row->count++;
    row->ticks += ticks;
    row->bytes += piece->bytes;
    row->pageable_bytes += piece->is_pageable ? piece->bytes : 0;
    if (ticks > row->most_ticks)
        row->most_ticks = ticks;
}

/* Two names with the same 64 bits of hash are taken for one. NULL = there are too many. */
static struct mprof_gpu_work *row_named(const struct gpu_activity *piece)
{
    const uint64_t hash = hash_of(piece->name);
    for (uint32_t i = 0; i < NAMES; i++) {
        struct kernel *kernel = &all->kernels[(hash + i) % NAMES];
        if (kernel->hash == hash)
            return &kernel->sum;
        if (kernel->hash != 0)
            continue;
        const size_t most = sizeof kernel->sum.name - 1;
        kernel->hash = hash;
        kernel->sum.in_use = 1;
        kernel->sum.kind = piece->kind;
        memcpy(kernel->sum.name, piece->name, strnlen(piece->name, most));
        return &kernel->sum;
    }
    return NULL;
}

static void add_up(struct mprof_gpu_work *to, const struct mprof_gpu_work *from)
{
    to->count += from->count;
    to->ticks += from->ticks;
    to->bytes += from->bytes;
    to->pageable_bytes += from->pageable_bytes;
    to->most_ticks = to->most_ticks > from->most_ticks ? to->most_ticks : from->most_ticks;
}

static void write_row(struct mprof_gpu_work *row, const struct mprof_gpu_work *from)
{
    row->in_use = 0;
    IN_ORDER();
    memcpy((char *)row + sizeof row->in_use, (const char *)from + sizeof row->in_use,
           sizeof *row - sizeof row->in_use);
    IN_ORDER();
    row->in_use = 1;
}

/* The names with most time have rows. */
static void write_rows(void)
{
    struct mprof_gpu_work rest[MPROF_GPU_WORK_KINDS];
    uint16_t order[NAMES];
    uint32_t count = 0;
    memcpy(rest, all->unnamed, sizeof rest);
    for (uint32_t i = 0; i < NAMES; i++) {
        if (all->kernels[i].hash == 0)
            continue;
        uint32_t at = count++;
        for (; at > 0 && all->kernels[order[at - 1]].sum.ticks < all->kernels[i].sum.ticks; at--)
            order[at] = order[at - 1];
        order[at] = (uint16_t)i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct mprof_gpu_work *sum = &all->kernels[order[i]].sum;
        if (i < MPROF_GPU_WORK_NAMES)
            write_row(&work[MPROF_GPU_WORK_KINDS + i], sum);
        else
            add_up(&rest[sum->kind], sum);
    }
    for (uint32_t kind = 0; kind < MPROF_GPU_WORK_KINDS; kind++) {
        rest[kind].kind = kind;
        if (rest[kind].count != 0)
            write_row(&work[kind], &rest[kind]);
    }
}

/* ---- what others call ------------------------------------------------------------------------ */

bool gpu_activity_begin(void)
{
    if (record.stopped || !gpu_activity_is_on || !lock_take(&activity_lock))
        return false;
    if (activity->bin_ticks == 0) {
        const uint64_t ticks = ticks_of(TIME_BIN_FIRST_NS);
        activity->bin_ticks = ticks != 0 ? ticks : TIME_BIN_FIRST_NS;
    }
    latest_ticks = clock_ticks() + ticks_of(CLOCKS_DIFFER_NS);
    return true;
}

void gpu_activity_end(uint64_t dropped)
{
    activity->dropped += dropped;
    pop_old();
    write_rows();
    lock_give(&activity_lock);
}

static uint32_t layer_of(enum mprof_gpu_work_kind kind)
{
    if (kind == MPROF_GPU_KERNEL)
        return MPROF_GPU_COMPUTES;
    return kind == MPROF_GPU_COMMUNICATION ? MPROF_GPU_COMMUNICATES : MPROF_GPU_MOVES;
}

/* What was before time 0 is no part of the run, and what has ended cannot end in the future. */
void gpu_activity_add(const struct gpu_activity *given)
{
    struct gpu_activity piece = *given;
    if (piece.end_ticks < piece.start_ticks || piece.start_ticks == 0 ||
        piece.end_ticks > latest_ticks) {
        activity->unfinished++;
        return;
    }
    if (piece.end_ticks <= activity->begin_ticks)
        return;
    if (piece.start_ticks < activity->begin_ticks)
        piece.start_ticks = activity->begin_ticks;
    struct mprof_gpu_work *row = piece.name != NULL ? row_named(&piece) : NULL;
    add_to_row(row != NULL ? row : &all->unnamed[piece.kind], &piece);
    if (piece.kind == MPROF_GPU_SYNCHRONIZATION)
        return;
    const struct piece ordered = {.start = piece.start_ticks,
                                  .end = piece.end_ticks,
                                  .device = piece.device < DEVICES ? piece.device : DEVICES - 1,
                                  .layer = layer_of(piece.kind)};
    push(&ordered);
}

void gpu_activity_settle(void)
{
    if (!gpu_activity_is_on || !lock_take(&activity_lock))
        return;
    if (activity->bin_ticks != 0)
        while (waiting > 0)
            pop();
    lock_give(&activity_lock);
}

/* By one thread: the first one. */
void gpu_activity_host(uint64_t now_ticks, uint64_t mpi_ticks, bool enters)
{
    if (enters && host_ticks != 0 && mpi_ticks > host_mpi_ticks && now_ticks > host_ticks) {
        all->stretches[stretches % STRETCHES] =
            (struct stretch){host_ticks, now_ticks, mpi_ticks - host_mpi_ticks};
        __atomic_store_n(&stretches, stretches + 1, __ATOMIC_RELEASE);
    }
    host_ticks = now_ticks;
    host_mpi_ticks = mpi_ticks;
}

void gpu_activity_forget(void)
{
    gpu_activity_is_on = false;
    if (all != NULL)
        unmap_memory(all, sizeof *all);
    all = NULL;
    activity = NULL;
    work = NULL;
    bins = NULL;
    activity_lock = (struct lock){0};
}
