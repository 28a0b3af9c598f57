/* Single calls (events.h). The file is a live file with a directory of one section per ring. A
 * section appears when its thread does, and tells at each moment how long the ring is by then. */
#define _GNU_SOURCE
#include "record/time/events.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/options.h"
#include "record/calls/attach.h"
#include "record/time/regions.h"

enum { MOST_RINGS = 16, LEAST_ITEMS = 256, PIECE_ITEMS = EVENTS_PIECE / 32 };
_Static_assert(sizeof(struct mprof_last_call) == 32, "the size of an item");

/* A ring may become `most` items long. It gets them piece by piece, and stops growing when there is
 * no space. */
struct event_ring {
    struct recorder *owner;
    size_t items, most;
};

static struct {
    struct lock lock;
    struct mprof_file_header *file; /* NULL = off */
    events_reserve *reserve;        /* NULL = no ring grows */
    size_t bytes;
    size_t next_item; /* the first that no ring has */
    size_t items;     /* in all */
    bool alone;
    uint64_t begin_ticks, end_ticks; /* of the window */
    struct event_ring rings[MOST_RINGS];
} events = {.end_ticks = UINT64_MAX};

static struct mprof_section *directory(struct mprof_file_header *file)
{
    return (struct mprof_section *)(void *)(file + 1);
}

static struct mprof_last_call *item_at(size_t number)
{
    return (struct mprof_last_call *)(void *)((uint8_t *)events.file + EVENTS_PAGE) + number;
}

/* With the lock held: the next piece of the ring's memory may be written to. How many items that
 * is; 0 = none. */
static size_t add_piece(struct event_ring *ring, struct mprof_section *section)
{
    const size_t left = ring->most - ring->items;
    const size_t items = left < PIECE_ITEMS ? left : PIECE_ITEMS;
    const int program_errno = errno;
    const bool is_there = items > 0 && events.reserve != NULL &&
                          events.reserve(section->offset + ring->items * sizeof *item_at(0),
                                         items * sizeof *item_at(0));
    errno = program_errno;
    if (!is_there) {
        ring->most = ring->items;
        return 0;
    }
    ring->items += items;
    __atomic_store_n(&section->stored_bytes, ring->items * sizeof *item_at(0), __ATOMIC_RELEASE);
    return items;
}

/* With the lock held. */
static void give_ring(struct recorder *recorder)
{
    struct mprof_file_header *file = events.file;
    const size_t left = events.items - events.next_item;
    const size_t items = events.alone ? left : left / 2;
    if (file->section_count == MOST_RINGS || items < LEAST_ITEMS)
        return;
    struct mprof_section *section = &directory(file)[file->section_count];
    struct event_ring *given = &events.rings[file->section_count];
    struct mprof_last_call *ring = item_at(events.next_item);
    *given = (struct event_ring){.owner = recorder, .most = items};
    section->offset = (uint64_t)((uint8_t *)ring - (uint8_t *)file);
    if (add_piece(given, section) == 0)
        return;
    section->number = recorder->number;
    section->record_bytes = sizeof *ring;
    section->type = MPROF_SECTION_EVENTS;
    recorder->other_calls[0] = recorder->other_calls[2] = ring;
    recorder->other_calls[1] = ring + given->items;
    events.next_item += items;
    __atomic_store_n(&file->section_count, file->section_count + 1, __ATOMIC_RELEASE);
    recorder->has_events = true;
}

/* The ring in use is full for the first time: it becomes longer, or begins anew. */
static COLD void grow(struct recorder *recorder)
{
    if (!lock_take(&events.lock))
        return;
    for (uint32_t i = 0; events.file != NULL && i < events.file->section_count; i++) {
        struct event_ring *ring = &events.rings[i];
        if (ring->owner != recorder || ring->items == ring->most)
            continue;
        const size_t items = add_piece(ring, &directory(events.file)[i]);
        if (items == 0)
            continue;
        struct mprof_last_call *const first_new = recorder->last_calls_end;
        recorder->last_calls_end += items;
        IN_ORDER();
        recorder->last_call = first_new;
    }
    lock_give(&events.lock);
}

void events_attach(struct recorder *recorder)
{
    if (options.events_bytes == 0)
        return;
    recorder->keeps_messages = true;
    recorder->plain = false;
    if (!lock_take(&events.lock))
        return;
    if (events.file != NULL)
        give_ring(recorder);
    lock_give(&events.lock);
}

/* In ticks since MPI_Init, whose length tells how fast the clock is. */
static void set_window(void)
{
    const uint64_t second_ns = 1000000000;
    const struct mprof_clock_pair begin = record.clock->start;
    const struct mprof_clock_pair now = clock_pair();
    const uint64_t second = scale_uint64(second_ns, now.ticks_after - begin.ticks_after,
                                         now.monotonic_ns - begin.monotonic_ns);
    events.begin_ticks =
        options.events_from_s == 0 ? 0 : begin.ticks_after + options.events_from_s * second;
    events.end_ticks =
        options.events_for_s == 0
            ? UINT64_MAX
            : begin.ticks_after + (options.events_from_s + options.events_for_s) * second;
}

/* What the thread did before MPI_Init is also there. */
static void copy_first_calls(struct recorder *recorder)
{
    const size_t count = (size_t)(recorder->last_call - recorder->last_calls);
    const size_t items = (size_t)(recorder->other_calls[1] - recorder->other_calls[0]);
    if (recorder->last_calls == &recorder->no_last_calls || count > items / 2 ||
        options.events_region != NULL || events.begin_ticks != 0)
        return;
    memcpy(recorder->other_calls[0], recorder->last_calls, count * sizeof *recorder->last_calls);
    memset(recorder->last_calls, 0, count * sizeof *recorder->last_calls);
    recorder->other_calls[2] += count;
    recorder->last_call = recorder->last_calls;
}

void events_open(struct mprof_file_header *file, size_t bytes, bool alone, events_reserve *reserve)
{
    struct recorder *recorder = thread_state.recorder;
    set_window();
    const bool is_taken = lock_take(&events.lock);
    events.bytes = bytes;
    events.items = (bytes - EVENTS_PAGE) / sizeof(struct mprof_last_call);
    events.next_item = 0;
    events.alone = alone;
    events.reserve = reserve;
    events.file = file;
    if (recorder != NULL && !recorder->shared && recorder->keeps_messages) {
        give_ring(recorder);
        if (recorder->has_events)
            copy_first_calls(recorder);
    }
    lock_give_if(&events.lock, is_taken);
    if (recorder != NULL)
        events_look(recorder, clock_ticks());
}

void events_finish_exchange(struct recorder *recorder)
{
    if (!recorder->exchange.is_under_way)
        return;
    recorder->last_calls = recorder->exchange.in_use[0];
    recorder->last_calls_end = recorder->exchange.in_use[1];
    recorder->last_call = recorder->exchange.in_use[2];
    memcpy(recorder->other_calls, recorder->exchange.other, sizeof recorder->other_calls);
    recorder->in_events = recorder->exchange.in_events;
    IN_ORDER();
    recorder->exchange.is_under_way = false;
}

/* Half of it would be a ring that ends in the other one, and a jump may leave anywhere. */
static void exchange_rings(struct recorder *recorder)
{
    struct mprof_last_call *const in_use[3] = {recorder->last_calls, recorder->last_calls_end,
                                               recorder->last_call};
    memcpy(recorder->exchange.in_use, recorder->other_calls, sizeof recorder->other_calls);
    memcpy(recorder->exchange.other, in_use, sizeof in_use);
    recorder->exchange.in_events = !recorder->in_events;
    IN_ORDER();
    recorder->exchange.is_under_way = true;
    IN_ORDER();
    events_finish_exchange(recorder);
}

/* Its last item was just written. */
static bool is_full(const struct recorder *recorder)
{
    return recorder->in_events && recorder->last_call == recorder->last_calls &&
           recorder->last_calls_end[-1].start_ticks != 0;
}

void events_look_slowly(struct recorder *recorder, uint64_t now_ticks)
{
    if (is_full(recorder))
        grow(recorder);
    const bool wanted =
        now_ticks >= events.begin_ticks && now_ticks < events.end_ticks &&
        (options.events_region == NULL || region_is_open(&thread_state, options.events_region));
    if (wanted != recorder->in_events)
        exchange_rings(recorder);
}

uint64_t events_deadline(uint64_t now_ticks, uint64_t deadline)
{
    if (events.begin_ticks > now_ticks && events.begin_ticks < deadline)
        return events.begin_ticks;
    return events.end_ticks > now_ticks && events.end_ticks < deadline ? events.end_ticks
                                                                       : deadline;
}

void events_add_message(struct recorder *recorder, const struct exchange *exchange,
                        const struct event_message *message)
{
    const bool is_sent = exchange->kind == MPROF_PARTNER_SENT;
    if ((!is_sent && exchange->kind != MPROF_PARTNER_RECEIVED) ||
        message->communicator == MPROF_COMM_SLOT_NONE)
        return;
    const struct mprof_message item = {
        .posted_ticks = is_sent ? 0 : message->posted_ticks,
        .rank = exchange->world_rank,
        .kind = is_sent ? MPROF_MESSAGE_SENT : MPROF_MESSAGE_RECEIVED,
        .communicator = (uint16_t)message->communicator,
        .bytes = exchange->bytes < UINT32_MAX ? (uint32_t)exchange->bytes : UINT32_MAX,
        .tag = message->tag};
    recorder->last_call->start_ticks = 0; /* as in last_calls_add() */
    IN_ORDER();
    memcpy(recorder->last_call, &item, sizeof item);
    IN_ORDER();
    recorder->last_call->start_ticks = message->start_ticks;
    struct mprof_last_call *const next = recorder->last_call + 1;
    const bool is_last = next == recorder->last_calls_end;
    recorder->last_call = is_last ? recorder->last_calls : next;
    if (is_last)
        grow(recorder);
}

/* Of a ring that is full all items are in use; of another one those before the next. */
static size_t used_items(const struct recorder *recorder)
{
    const bool in = recorder->in_events;
    const struct mprof_last_call *first = in ? recorder->last_calls : recorder->other_calls[0];
    const struct mprof_last_call *end = in ? recorder->last_calls_end : recorder->other_calls[1];
    const struct mprof_last_call *next = in ? recorder->last_call : recorder->other_calls[2];
    return (size_t)((end[-1].start_ticks != 0 ? end : next) - first);
}

/* Other threads may go on to record calls there, which nobody reads. */
static void detach(void)
{
    if (events.file != NULL)
        (void)mmap(events.file, events.bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    events.reserve = NULL;
}

bool events_close(uint8_t file[EVENTS_PAGE])
{
    const bool is_taken = lock_take(&events.lock);
    const bool is_open = events.file != NULL;
    if (is_open) {
        memcpy(file, events.file, EVENTS_PAGE);
        struct mprof_file_header *header = (void *)file;
        for (uint32_t i = 0; i < header->section_count; i++)
            directory(header)[i].stored_bytes =
                used_items(events.rings[i].owner) * sizeof(struct mprof_last_call);
        detach();
    }
    lock_give_if(&events.lock, is_taken);
    return is_open;
}

void events_detach_in_child(void)
{
    detach();
    events.lock = (struct lock){0};
}

void events_forget(void)
{
    if (events.file != NULL)
        munmap(events.file, events.bytes);
    memset(&events, 0, sizeof events);
    events.end_ticks = UINT64_MAX;
    events.lock = (struct lock){0};
}
