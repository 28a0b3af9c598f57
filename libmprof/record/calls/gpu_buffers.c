/* Rows of buffers, and the last copies and receives (gpu_buffers.h). */
#include "record/calls/gpu_buffers.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/gpu.h"
#include "base/lock.h"
#include "record/paths/path_cache.h"
#include "record/state/record.h"
#include "store/arena.h"

bool gpu_buffers_are_followed;

enum { ROWS = 256, NOT_APART = 2 * MPROF_MEMORY_KINDS, PROBES = 16, KNOWN = 256, LAST = 16 };

/* Host memory that a copy wrote, or an MPI call received into; `left` of it was not used yet. */
struct stretch {
    uintptr_t begin;
    uint64_t bytes;
    uint64_t left;
    uint64_t ticks;               /* of the copy */
    struct mprof_gpu_buffer *row; /* of the receive */
};

/* What the driver said of an address, and after how many changes. */
struct known {
    uintptr_t address; /* 0 = free */
    uint32_t generation, host_generation;
    enum mprof_memory_kind kind;
};

static SELDOM struct {
    struct known known[KNOWN];
    struct stretch copied[LAST], received[LAST];
    uint32_t next_copied, next_received;
} all;
static uint32_t generation, host_generation;
static bool changes_unseen;
static struct mprof_gpu_buffer *rows;
static bool has_no_room;
static struct lock buffers_lock, known_lock;

void gpu_buffers_changed(bool is_host)
{
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
    if (is_host)
        __atomic_fetch_add(&host_generation, 1, __ATOMIC_RELAXED);
}

void gpu_buffers_change_unseen(void)
{
    __atomic_store_n(&changes_unseen, true, __ATOMIC_RELAXED);
}

/* Its place, or the one that it gets: another one's if none near is free or old. */
static struct known *place_of(const struct known *now)
{
    enum { PLACES = 4 };
    const uint32_t hash = (uint32_t)((uint64_t)now->address * 0x9e3779b97f4a7c15u >> 32);
    struct known *free = NULL;
    for (uint32_t i = 0; i < PLACES; i++) {
        struct known *known = &all.known[(hash + i) % KNOWN];
        if (known->address == now->address)
            return known;
        if (free == NULL && (known->address == 0 || known->host_generation != now->host_generation))
            free = known;
    }
    return free != NULL ? free : &all.known[hash % KNOWN];
}

/* MPROF_MEMORY_KINDS = it is not known, or not any more. */
static enum mprof_memory_kind remembered(const struct known *now, bool is_host)
{
    enum mprof_memory_kind kind = MPROF_MEMORY_KINDS;
    if (__atomic_load_n(&changes_unseen, __ATOMIC_RELAXED) || !lock_try(&known_lock))
        return kind;
    const struct known *known = place_of(now);
    if (known->address == now->address && (is_host ? known->host_generation == now->host_generation
                                                   : known->generation == now->generation))
        kind = known->kind;
    lock_give(&known_lock);
    return kind;
}

/* What changes while the driver is asked makes the answer an old one. */
static enum mprof_memory_kind kind_of(const void *address, bool is_host)
{
    struct known now = {.address = (uintptr_t)address,
                        .generation = __atomic_load_n(&generation, __ATOMIC_RELAXED),
                        .host_generation = __atomic_load_n(&host_generation, __ATOMIC_RELAXED)};
    now.kind = remembered(&now, is_host);
    if (now.kind != MPROF_MEMORY_KINDS)
        return now.kind;
    now.kind = gpu_memory_kind(address);
    if (lock_try(&known_lock)) {
        struct known *known = place_of(&now);
        known->address = 0;
        IN_ORDER();
        known->generation = now.generation;
        known->host_generation = now.host_generation;
        known->kind = now.kind;
        IN_ORDER();
        known->address = now.address;
        lock_give(&known_lock);
    }
    return now.kind;
}

enum mprof_memory_kind gpu_buffer_kind(const void *address)
{
    return kind_of(address, false);
}

enum mprof_memory_kind gpu_host_kind(const void *address)
{
    return address == NULL ? (enum mprof_memory_kind)MPROF_GPU_HOST_KINDS : kind_of(address, true);
}

static struct mprof_gpu_buffer *row_for(const struct call *call, const struct gpu_buffer *buffer)
{
    uint32_t index;
    if (rows == NULL && !has_no_room)
        rows = arena_allocate(MPROF_SECTION_GPU_BUFFERS, 0, ROWS * sizeof *rows, sizeof *rows,
                              false, &index);
    has_no_room = rows == NULL;
    if (has_no_room)
        return NULL;
    const uint32_t callsite = call->path->callsite;
    const uint32_t kind = 2 * (uint32_t)buffer->kind + buffer->is_received;
    const uint32_t hash = (callsite * NOT_APART + kind) * 0x9e3779b9u;
    for (uint32_t i = 0; callsite != 0 && i < PROBES; i++) {
        struct mprof_gpu_buffer *row = &rows[NOT_APART + (hash + i) % (ROWS - NOT_APART)];
        if (row->in_use == 0 ||
            (row->callsite == callsite && row->function == call_function(call) &&
             row->memory == buffer->kind && row->is_received == buffer->is_received))
            return row;
    }
    return &rows[kind];
}

static void open_row(struct mprof_gpu_buffer *row, const struct call *call,
                     const struct gpu_buffer *buffer)
{
    const bool is_apart = row >= rows + NOT_APART;
    if (row->in_use != 0)
        return;
    row->callsite = is_apart ? call->path->callsite : 0;
    row->function = is_apart ? call_function(call) : 0;
    row->memory = (uint16_t)buffer->kind;
    row->is_received = buffer->is_received;
    IN_ORDER();
    row->in_use = 1;
}

/* Of `stretch`, bytes that are also among these, and were not used yet: at most so many. */
static uint64_t take_part(struct stretch *stretch, uintptr_t begin, uint64_t bytes, uint64_t most)
{
    const uint64_t end = begin + bytes;
    const uint64_t from = begin > stretch->begin ? begin : stretch->begin;
    const uint64_t to =
        end < stretch->begin + stretch->bytes ? end : stretch->begin + stretch->bytes;
    uint64_t part = from < to ? to - from : 0;
    part = part < stretch->left ? part : stretch->left;
    part = part < most ? part : most;
    stretch->left -= part;
    return part;
}

static void add_staged(struct mprof_gpu_buffer *row, uint64_t bytes, uint64_t ticks)
{
    row->staged_copies++;
    row->staged_bytes += bytes;
    row->staged_ticks += ticks;
}

/* The last one first: what it wrote over is not there any more. */
static void look_for_copies(struct mprof_gpu_buffer *row, const struct gpu_buffer *buffer)
{
    uint64_t left = buffer->bytes;
    for (uint32_t i = 0; i < LAST && left > 0; i++) {
        struct stretch *copy = &all.copied[(all.next_copied + LAST - 1 - i) % LAST];
        const uint64_t part = take_part(copy, (uintptr_t)buffer->address, buffer->bytes, left);
        left -= part;
        if (part != 0)
            add_staged(row, part, scale_uint64(copy->ticks, part, copy->bytes));
    }
}

/* The same of a copy to the device. */
static void look_for_receives(uintptr_t host, uint64_t bytes, uint64_t ticks)
{
    uint64_t left = bytes;
    for (uint32_t i = 0; i < LAST && left > 0; i++) {
        struct stretch *receive = &all.received[(all.next_received + LAST - 1 - i) % LAST];
        const uint64_t part = take_part(receive, host, bytes, left);
        left -= part;
        if (part != 0 && receive->row != NULL)
            add_staged(receive->row, part, scale_uint64(ticks, part, bytes));
    }
}

/* What it overwrites is not there any more. */
static void push(struct stretch *last, uint32_t *next, struct stretch stretch)
{
    for (uint32_t i = 0; i < LAST; i++)
        if (last[i].begin >= stretch.begin &&
            last[i].begin + last[i].bytes <= stretch.begin + stretch.bytes)
            last[i].left = 0;
    last[*next] = stretch;
    *next = (*next + 1) % LAST;
}

static void note_with_lock(const struct call *call, const struct gpu_buffer *buffer)
{
    struct mprof_gpu_buffer *row = row_for(call, buffer);
    if (row == NULL)
        return;
    open_row(row, call, buffer);
    row->calls += buffer->is_counted ? 0 : 1;
    row->bytes += buffer->bytes;
    if (buffer->kind == MPROF_MEMORY_DEVICE || buffer->bytes == 0)
        return;
    if (!buffer->is_received)
        look_for_copies(row, buffer);
    else
        push(all.received, &all.next_received,
             (struct stretch){.begin = (uintptr_t)buffer->address,
                              .bytes = buffer->bytes,
                              .left = buffer->bytes,
                              .row = row});
}

void gpu_buffers_note(const struct call *call, const struct gpu_buffer *buffer)
{
    if (record.stopped || !record.begun || !lock_try(&buffers_lock))
        return;
    note_with_lock(call, buffer);
    lock_give(&buffers_lock);
}

void gpu_buffers_copied(const struct gpu_moved *moved, uint64_t ticks)
{
    const uintptr_t host = (uintptr_t)moved->host;
    if (host == 0 || moved->has_gaps || moved->bytes == 0 || !lock_try(&buffers_lock))
        return;
    if (moved->direction == MPROF_GPU_FROM_DEVICE)
        push(all.copied, &all.next_copied,
             (struct stretch){
                 .begin = host, .bytes = moved->bytes, .left = moved->bytes, .ticks = ticks});
    if (moved->direction == MPROF_GPU_TO_DEVICE)
        look_for_receives(host, moved->bytes, ticks);
    lock_give(&buffers_lock);
}

static void drop_at(struct stretch *last, uintptr_t address)
{
    for (uint32_t i = 0; i < LAST; i++)
        if (address - last[i].begin < last[i].bytes)
            last[i].left = 0;
}

void gpu_buffers_freed(uintptr_t address)
{
    if (!lock_take(&buffers_lock))
        return;
    drop_at(all.copied, address);
    drop_at(all.received, address);
    lock_give(&buffers_lock);
}

void gpu_buffers_forget(void)
{
    memset(all.copied, 0, sizeof all.copied);
    memset(all.received, 0, sizeof all.received);
    buffers_lock = known_lock = (struct lock){0};
    rows = NULL;
    has_no_room = false;
}
