/* Rows of NCCL's calls (nccl_calls.h). */
#include "record/calls/nccl_calls.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/private_memory.h"
#include "record/calls/call.h"
#include "record/state/record.h"
#include "store/arena.h"

enum {
    COMMS = 256,  /* rows; the first one is none */
    CALLS = 1024, /* rows; the first ones are all other collectives, and all other messages */
    NOT_APART = 2,
    PROBES = 16,
    TIMES = 1024,  /* rows */
    EVENTS = 8192, /* calls and parts that can still end */
    COMM_PLACES = 512,
    MOST_STRIDE = 1 << 16
};

struct event {
    uint64_t number;        /* of this use of the place; 0 = free */
    uint64_t parent_number; /* of a part: of its call; 0 = it is a call */
    uint64_t start_ticks, ticks;
    uint64_t device_begin_ns, device_end_ns; /* 0 = not known */
    uint32_t parent;
    uint32_t row;     /* of a call */
    uint32_t time;    /* row + 1; 0 = none */
    bool has_started; /* a part was seen to */
};

struct followed {
    struct event events[EVENTS];
    struct {
        uint64_t id;
        uint32_t rank;
        uint32_t row; /* 0 = free */
    } places[COMM_PLACES];
};
/* Only where NCCL calls: a process may have little room for addresses. */
static struct followed *all;
static uint64_t events; /* so far */
static uint32_t comms = 1, times;
static uint32_t stride = 1;
static struct mprof_nccl_comm *comm_rows;
static struct mprof_nccl_call *call_rows;
static struct mprof_nccl_time *time_rows;
static bool has_no_room;
static struct lock nccl_lock;

bool nccl_is_recorded(void)
{
    return record.begun && !record.stopped && !record.forked && options.gpu != NULL &&
           strcmp(options.gpu, "kernels") == 0;
}

/* With the lock held, as all up to the end. */
static bool open_rows(void)
{
    uint32_t index;
    if (call_rows != NULL || has_no_room)
        return call_rows != NULL;
    struct mprof_nccl_comm *comm = arena_allocate(MPROF_SECTION_NCCL_COMMS, 0, COMMS * sizeof *comm,
                                                  sizeof *comm, false, &index);
    struct mprof_nccl_time *time = arena_allocate(MPROF_SECTION_NCCL_TIMES, 0, TIMES * sizeof *time,
                                                  sizeof *time, false, &index);
    struct mprof_nccl_call *call = NULL;
    if (comm != NULL && time != NULL)
        call = arena_allocate(MPROF_SECTION_NCCL_CALLS, 0, CALLS * sizeof *call, sizeof *call,
                              false, &index);
    if (call != NULL && all == NULL)
        all = map_private(sizeof *all);
    has_no_room = all == NULL || call == NULL;
    if (has_no_room)
        return false;
    comm_rows = comm;
    time_rows = time;
    call_rows = call;
    comm_rows[0].rank = UINT32_MAX;
    IN_ORDER();
    comm_rows[0].in_use = 1;
    for (uint32_t i = 0; i < NOT_APART; i++) {
        call_rows[i].is_message = call_rows[i].number = i;
        IN_ORDER();
        call_rows[i].in_use = 1;
    }
    return true;
}

/* A path is looked for as for a call of MPI, and no MPI call and no call of a GPU's driver is in
 * progress on this thread. Before the lock is taken: a new path waits while the record moves. */
uint32_t nccl_callsite(const void *return_address, const void *cfa)
{
    struct thread_state *thread = &thread_state;
    if (!nccl_is_recorded() || thread->recorder == NULL || thread->recorder->shared ||
        thread->depth != 0 || thread->gpu.outermost != NULL ||
        (thread->paths != &callsites_no_cache && thread->paths->generation == 0))
        return 0;
    const int program_errno = errno;
    const void *outermost = thread->outermost;
    thread->outermost = &outermost;
    thread->depth = 1;
    const uint32_t callsite = call_find_path(return_address, cfa)->callsite;
    thread->depth = 0;
    thread->outermost = outermost;
    errno = program_errno;
    return callsite;
}

static bool begin(void)
{
    if (!nccl_is_recorded() || !lock_take(&nccl_lock))
        return false;
    if (open_rows())
        return true;
    lock_give(&nccl_lock);
    return false;
}

static void copy_text(char *to, size_t bytes, const char *from)
{
    if (from != NULL)
        memcpy(to, from, strnlen(from, bytes - 1));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15u ^ hash >> 29;
}

static uint32_t new_comm(const struct nccl_comm *comm)
{
    if (comms == COMMS)
        return 0;
    struct mprof_nccl_comm *row = &comm_rows[comms];
    row->id = comm->id;
    row->rank = comm->rank;
    row->ranks = comm->ranks;
    row->nodes = comm->nodes;
    copy_text(row->name, sizeof row->name, comm->name);
    IN_ORDER();
    row->in_use = 1;
    return comms++;
}

static uint32_t find_comm(const struct nccl_comm *comm)
{
    const uint32_t hash = (uint32_t)(mix(comm->id, comm->rank) >> 32);
    for (uint32_t i = 0; i < COMM_PLACES; i++) {
        const uint32_t at = (hash + i) % COMM_PLACES;
        if (all->places[at].row == 0) {
            all->places[at].id = comm->id;
            all->places[at].rank = comm->rank;
            return all->places[at].row = new_comm(comm);
        }
        if (all->places[at].id == comm->id && all->places[at].rank == comm->rank)
            return all->places[at].row;
    }
    return 0;
}

uint32_t nccl_comm_row(const struct nccl_comm *comm)
{
    if (!begin())
        return 0;
    const uint32_t row = find_comm(comm);
    lock_give(&nccl_lock);
    return row;
}

/* "ncclFloat32", "ncclBfloat16", "ncclFloat8e4m3"; 0 = not known. */
static uint32_t bytes_of_datatype(const char *name)
{
    static const struct {
        const char *end;
        uint32_t bytes;
    } ends[] = {{"64", 8},   {"32", 4},   {"16", 2},    {"Int8", 1},   {"Uint8", 1}, {"e4m3", 1},
                {"e5m2", 1}, {"Half", 2}, {"Float", 4}, {"Double", 8}, {"Int", 4},   {"Char", 1}};
    const size_t length = name != NULL ? strlen(name) : 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t bytes = strlen(ends[i].end);
        if (length >= bytes && strcmp(name + length - bytes, ends[i].end) == 0)
            return ends[i].bytes;
    }
    return 0;
}

static bool is_text(const char *row, size_t bytes, const char *text)
{
    return strncmp(row, text != NULL ? text : "", bytes - 1) == 0;
}

static bool is_row_of(const struct mprof_nccl_call *row, const struct nccl_call *call,
                      uint64_t bytes)
{
    return row->comm == call->comm && row->bytes == bytes && row->is_message == call->is_message &&
           row->callsite == call->callsite && row->peer == call->peer &&
           is_text(row->function, sizeof row->function, call->function) &&
           is_text(row->datatype, sizeof row->datatype, call->datatype);
}

static void open_row(struct mprof_nccl_call *row, const struct nccl_call *call, uint64_t bytes,
                     uint32_t datatype_bytes)
{
    row->comm = call->comm;
    row->is_message = call->is_message;
    row->datatype_bytes = datatype_bytes;
    row->bytes = bytes;
    row->callsite = call->callsite;
    row->peer = call->peer;
    copy_text(row->function, sizeof row->function, call->function);
    copy_text(row->datatype, sizeof row->datatype, call->datatype);
    IN_ORDER();
    row->in_use = 1;
}

/* Collectives and messages have half of the rows each: a rank may have many partners. */
static uint32_t row_of(const struct nccl_call *call)
{
    const uint32_t datatype_bytes = bytes_of_datatype(call->datatype);
    const uint64_t bytes = call->count * datatype_bytes;
    const uint32_t first = call->is_message ? CALLS / 2 : NOT_APART;
    uint64_t hash = mix(mix(call->comm, bytes), (uint64_t)call->callsite << 32 | call->peer);
    for (const char *c = call->function != NULL ? call->function : ""; *c != '\0'; c++)
        hash = mix(hash, (unsigned char)*c);
    for (uint32_t i = 0; i < PROBES && call->comm != 0; i++) {
        const uint32_t at = first + (uint32_t)((hash >> 32) + i) % (CALLS / 2 - NOT_APART);
        if (call_rows[at].in_use == 0) {
            call_rows[at].number = at;
            open_row(&call_rows[at], call, bytes, datatype_bytes);
        }
        if (is_row_of(&call_rows[at], call, bytes))
            return at;
    }
    call_rows[call->is_message].bytes += bytes;
    return call->is_message;
}

static uint32_t new_event(void)
{
    const uint32_t at = (uint32_t)(events % EVENTS);
    all->events[at] = (struct event){.number = ++events, .start_ticks = clock_ticks()};
    return at;
}

/* Every second one goes: those that all ranks keep. */
static void thin_times(void)
{
    uint32_t kept = 0;
    stride *= 2;
    for (uint32_t i = 0; i < times; i++)
        if (time_rows[i].number % stride == 0) {
            struct mprof_nccl_time row = time_rows[i];
            row.stride = stride;
            time_rows[i].in_use = 0;
            IN_ORDER();
            time_rows[kept++] = row;
        }
    for (uint32_t i = kept; i < times; i++)
        time_rows[i].in_use = 0;
    times = kept;
    for (uint32_t i = 0; i < EVENTS; i++)
        all->events[i].time = 0;
}

static void note_time(struct event *event, const struct nccl_call *call)
{
    if (call->is_message || call->comm == 0 || call->number % stride != 0)
        return;
    if (times == TIMES && stride < MOST_STRIDE)
        thin_times();
    if (times == TIMES || call->number % stride != 0)
        return;
    struct mprof_nccl_time *row = &time_rows[times++];
    *row = (struct mprof_nccl_time){.comm = call->comm,
                                    .call = event->row,
                                    .stride = stride,
                                    .number = call->number,
                                    .start_ticks = event->start_ticks};
    IN_ORDER();
    row->in_use = 1;
    event->time = times;
}

void *nccl_call_begin(const struct nccl_call *given)
{
    if (!begin())
        return NULL;
    struct nccl_call call = *given;
    if (call.comm >= comms) /* NCCL gave back another context than its own */
        call.comm = 0;
    struct event *event = &all->events[new_event()];
    event->row = row_of(&call);
    call_rows[event->row].calls++;
    note_time(event, &call);
    lock_give(&nccl_lock);
    return event;
}

/* NULL = it is none, or of another use of its place. */
static struct event *event_at(const void *handle)
{
    const uintptr_t from_begin = (uintptr_t)handle - (uintptr_t)all->events;
    const bool is_one = handle != NULL && from_begin < sizeof all->events &&
                        from_begin % sizeof all->events[0] == 0;
    struct event *event = is_one ? &all->events[from_begin / sizeof all->events[0]] : NULL;
    return event != NULL && event->number != 0 ? event : NULL;
}

static struct event *call_of(struct event *event)
{
    if (event == NULL || event->parent_number == 0)
        return event;
    struct event *call = &all->events[event->parent];
    return call->number == event->parent_number ? call : NULL;
}

/* The first part that starts tells when the GPU came to the call. */
static void note_start(struct event *call, uint64_t now_ticks)
{
    if (call->has_started)
        return;
    call->has_started = true;
    if (call->time != 0)
        time_rows[call->time - 1].start_ticks = now_ticks;
}

void *nccl_part_begin(void *handle, uint64_t device_ns)
{
    if (handle == NULL || !begin())
        return NULL;
    struct event *call = call_of(event_at(handle));
    struct event *part = NULL;
    if (call != NULL) {
        const uint64_t number = call->number;
        const uint32_t at = new_event();
        part = &all->events[at];
        part->parent = (uint32_t)(call - all->events);
        part->parent_number = number;
        if (part != call) {
            note_start(call, part->start_ticks);
            if (device_ns != 0 && (call->device_begin_ns == 0 || device_ns < call->device_begin_ns))
                call->device_begin_ns = device_ns;
        }
    }
    lock_give(&nccl_lock);
    return part;
}

static uint64_t device_ns_of(const struct event *call)
{
    return call->device_begin_ns != 0 && call->device_end_ns > call->device_begin_ns
               ? call->device_end_ns - call->device_begin_ns
               : 0;
}

void nccl_part_stops(void *handle, uint64_t device_ns)
{
    if (handle == NULL || device_ns == 0 || !begin())
        return;
    struct event *part = event_at(handle);
    struct event *call = part != NULL && part->parent_number != 0 ? call_of(part) : NULL;
    if (call != NULL && device_ns > call->device_end_ns) {
        const uint64_t before = device_ns_of(call);
        call->device_end_ns = device_ns;
        call_rows[call->row].device_ns += device_ns_of(call) - before;
    }
    lock_give(&nccl_lock);
}

static void note_end(struct event *call, uint64_t now_ticks)
{
    struct mprof_nccl_call *row = &call_rows[call->row];
    const uint64_t ticks = now_ticks - call->start_ticks;
    row->ended += call->ticks == 0;
    row->ticks += ticks - call->ticks;
    if (ticks > row->most_ticks)
        row->most_ticks = ticks;
    call->ticks = ticks;
    if (call->time != 0) {
        struct mprof_nccl_time *time = &time_rows[call->time - 1];
        time->ticks = now_ticks > time->start_ticks ? now_ticks - time->start_ticks : 0;
    }
}

void nccl_end(void *handle)
{
    if (handle == NULL || !begin())
        return;
    struct event *call = call_of(event_at(handle));
    const uint64_t now = clock_ticks();
    if (call != NULL && call->parent_number == 0 && now > call->start_ticks)
        note_end(call, now);
    lock_give(&nccl_lock);
}

void nccl_forget(void)
{
    if (all != NULL)
        memset(all, 0, sizeof *all);
    comms = stride = 1;
    times = 0;
    comm_rows = NULL;
    call_rows = NULL;
    time_rows = NULL;
    has_no_room = false;
    nccl_lock = (struct lock){0};
}
