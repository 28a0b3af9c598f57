/* Requests (requests.h). */
#include "record/calls/requests.h"

#include <stddef.h>

#include "record/objects/file_rows.h"
#include "record/tables/entry_table.h"
#include "record/time/events.h"

bool requests_were_cancelled;
static bool parts_are_untold; /* the MPI is one that writes no status of received parts */

/* What a request is, in one number: its fields from `kind` on, which are in the order of struct
 * request. Nearly all are one of IS_PLAIN_... */
enum {
    PARTNER_KIND_SHIFT = 8,
    PERSISTENT_SHIFT = 16,
    PARTNER_SHIFT = 32,
    RECEIVED_PART_SHIFT = 40,
    COLLECTIVE_SHIFT = 48
};
#define SENDS ((uint64_t)MPROF_PARTNER_SENT << PARTNER_KIND_SHIFT)
#define RECEIVES \
    ((uint64_t)REQUEST_RECEIVE | (uint64_t)MPROF_PARTNER_RECEIVED << PARTNER_KIND_SHIFT)
#define HAS_PARTNER (1ull << PARTNER_SHIFT)
#define IS_PLAIN_SEND (SENDS | HAS_PARTNER)
#define IS_PLAIN_RECEIVE (RECEIVES | HAS_PARTNER)
_Static_assert(offsetof(struct request, partner_kind) == offsetof(struct request, kind) + 1 &&
                   offsetof(struct request, persistent) == offsetof(struct request, kind) + 2 &&
                   offsetof(struct request, partner) == offsetof(struct request, kind) + 4 &&
                   offsetof(struct request, received_part) == offsetof(struct request, kind) + 5 &&
                   offsetof(struct request, collective) == offsetof(struct request, kind) + 6 &&
                   offsetof(struct request, seen) == offsetof(struct request, kind) + 7,
               "the shifts above");

/* Not persistent ones begin with the call that makes them. */
static HOT void begin_span(struct request *request, const struct call *call)
{
    request->recorder = call->recorder;
    request->stop_ticks = call->start_ticks + call->ticks;
    /* This call is added when it ends. */
    request->mpi_ticks = thread_state.mpi_ticks + call->ticks;
}

/* What is known of a request when it starts. */
struct start {
    uint64_t what;
    uint64_t bytes;      /* of what is sent */
    uint32_t world_peer; /* that it is sent to */
};

/* Field by field: to copy a whole one would have to wait for the stores of its parts. */
static HOT void fill_in(struct request *request, const struct call *call, struct start start)
{
    request->word = call_key(call).word;
    request->callsite = call->path->callsite;
    request->request_rows = request_rows_at(call->recorder, request->callsite, call_function(call));
    request->call_ticks = call->ticks;
    begin_span(request, call);
    request->comm = (uint8_t)start.what == REQUEST_RECEIVE ? comm_keep(call->comm) : NULL;
    request->bytes = start.bytes;
    request->world_peer = start.world_peer;
    memcpy(&request->kind, &start.what, sizeof start.what);
    request->peer = call->peer;
    /* What call_start_message() left there, unless another thread came between. */
    request->tag = call->recorder->shared ? 0 : call->recorder->live->call_tag;
}

static struct request *enter_request(struct call *call, uint64_t handle, struct start start)
{
    union handle_payload *payload = handle_enter(HANDLE_REQUEST, handle);
    if (__builtin_expect(payload == NULL, 0)) {
        call->recorder->live->untracked_requests++;
        return NULL;
    }
    fill_in(&payload->request, call, start);
    return &payload->request;
}

static HOT void will_bring_bytes(struct call *call)
{
    call->word += (uint64_t)MPROF_KIND_PENDING << KIND_SHIFT;
}

static COLD void enter_new_receive(struct call *call, uint64_t handle)
{
    if (enter_request(call, handle, (struct start){.what = IS_PLAIN_RECEIVE}) != NULL)
        will_bring_bytes(call);
}

void request_enter_receive(struct call *call, uint64_t handle)
{
    union handle_payload *payload;
    if (__builtin_expect(!handle_enter_again(HANDLE_REQUEST, handle, &payload), 0)) {
        enter_new_receive(call, handle);
        return;
    }
    fill_in(&payload->request, call, (struct start){.what = IS_PLAIN_RECEIVE});
    will_bring_bytes(call);
}

static HOT struct start start_of(const struct call *call)
{
    struct start start = {REQUEST_OTHER, call->size, call->world_peer};
    if (call->world_peer != MPROF_RANK_OTHER)
        start.what |= (uint64_t)call->partner_kind << PARTNER_KIND_SHIFT | HAS_PARTNER;
    return start;
}

static COLD void enter_new(struct call *call, uint64_t handle)
{
    enter_request(call, handle, start_of(call));
}

void request_enter(struct call *call, uint64_t handle)
{
    union handle_payload *payload;
    if (__builtin_expect(!handle_enter_again(HANDLE_REQUEST, handle, &payload), 0))
        enter_new(call, handle);
    else
        fill_in(&payload->request, call, start_of(call));
}

void request_enter_io(struct call *call, uint64_t handle, struct mprof_file_moves *moves)
{
    struct request *request = enter_request(call, handle, (struct start){.what = REQUEST_IO});
    if (request == NULL)
        return;
    request->moves = moves;
    will_bring_bytes(call);
}

void request_enter_received_part(struct call *call, uint64_t handle, const struct arrival *asked)
{
    struct request *request =
        enter_request(call, handle,
                      (struct start){.what = IS_PLAIN_RECEIVE | 1ull << RECEIVED_PART_SHIFT,
                                     .bytes = asked->bytes});
    if (request == NULL)
        return;
    request->told.source = asked->source;
    request->told.tag = asked->tag;
}

void request_enter_collective(struct call *call, uint64_t handle, uint32_t operation)
{
    struct request *request = enter_request(
        call, handle, (struct start){REQUEST_OTHER | 1ull << COLLECTIVE_SHIFT, call->size, 0});
    struct journal_place place = {0, 0};
    if (operation != 0)
        place = journal_append(call->comm->slot, operation, 0);
    if (request != NULL)
        request->journal_place = place;
}

void request_enter_persistent(struct call *call, uint64_t handle, const struct persistent *made)
{
    const bool receives = made->kind == REQUEST_RECEIVE;
    uint64_t what = (uint64_t)made->kind | 1ull << PERSISTENT_SHIFT |
                    (uint64_t)made->collective << COLLECTIVE_SHIFT;
    uint32_t world_peer = 0;
    if (receives) {
        what |= IS_PLAIN_RECEIVE;
    } else if (made->peer != MPROF_NO_PEER) {
        what |= IS_PLAIN_SEND;
        world_peer = call->comm == NULL ? MPROF_RANK_OUTSIDE
                                        : comm_world_rank(call->recorder, call->comm, made->peer);
    }
    struct request *request =
        enter_request(call, handle, (struct start){what, made->bytes, world_peer});
    if (request != NULL) {
        request->operation = made->operation;
        request->journal_place = (struct journal_place){0, 0};
    }
}

/* Of the CALL entries of the call that started it. */
static HOT struct entry_key key_of(const struct request *request, uint64_t size)
{
    struct entry_key key;
    key.size = size;
    key.word = request->word;
    key.callsite = request->callsite;
    return key;
}

static uint32_t communicator_of(const struct request *request)
{
    return (uint16_t)(request->word >> COMMUNICATOR_SHIFT);
}

static void add_messages(struct recorder *recorder, const struct request *request,
                         enum mprof_entry_kind kind, uint64_t bytes)
{
    if (kind == MPROF_KIND_START)
        recorder->bin.bytes += bytes;
    struct entry_key key = key_of(request, bytes);
    key.word += (uint64_t)kind << KIND_SHIFT;
    record_messages(recorder, &key, 1, bytes);
}

/* `messages` 0: more time for a message that was counted before. */
struct added_message {
    uint32_t world_peer;
    uint32_t messages;
    uint64_t bytes;
    uint64_t ticks;
    uint32_t tag;
};

static void add_message(const struct call *call, const struct request *request,
                        const struct added_message *added)
{
    struct recorder *recorder = call->recorder;
    struct exchange exchange = {.kind = request->partner_kind,
                                .world_rank = added->world_peer,
                                .callsite = request->callsite,
                                .messages = added->messages,
                                .bytes = added->bytes,
                                .ticks = added->ticks};
    const struct mprof_partner *row = record_exchange(recorder, &exchange);
    if (recorder->in_events && added->messages > 0)
        events_add_message(recorder, &exchange,
                           &(struct event_message){call->start_ticks, request->stop_ticks,
                                                   communicator_of(request), added->tag});
    if (recorder->plain && request->recorder == recorder)
        request->request_rows->partner =
            (uint32_t)((const char *)row - (const char *)recorder->partners);
}

void request_start(const struct call *call, uint64_t handle)
{
    struct handle found = handle_find(HANDLE_REQUEST, handle);
    if (found.seen == 0 || !found.payload->request.persistent)
        return;
    struct request *request = &found.payload->request;
    request->active = true;
    request->seen = false;
    begin_span(request, call);
    if (request->operation != 0)
        request->journal_place = journal_append(communicator_of(request), request->operation, 0);
    if (request->kind != REQUEST_OTHER)
        return;
    add_messages(call->recorder, request, MPROF_KIND_START, request->bytes);
    if (request->partner)
        add_message(
            call, request,
            &(struct added_message){request->world_peer, 1, request->bytes, 0, request->tag});
}

void request_seen(uint64_t handle, const struct arrival *arrival)
{
    struct handle found = handle_find(HANDLE_REQUEST, handle);
    if (found.seen == 0 || !arrival->message || arrival->source < 0)
        return;
    struct request *request = &found.payload->request;
    if (request->kind != REQUEST_RECEIVE || !request->persistent || !request->active)
        return;
    request->bytes = arrival->bytes;
    request->told.source = arrival->source;
    request->told.tag = arrival->tag;
    request->seen = true;
}

static HOT void forget_request(struct handle found, struct comm *comm)
{
    if (handle_remove_found(found) && comm != NULL && comm != comm_of_world)
        comm_release(comm);
}

struct comm *request_comm(struct handle found)
{
    return found.seen != 0 ? found.payload->request.comm : NULL;
}

void request_forget(struct handle found, struct comm *comm)
{
    if (found.seen != 0)
        forget_request(found, comm);
}

/* The bytes that arrived, under the call that asked for them. */
static void add_bytes(struct recorder *recorder, const struct request *request,
                      const struct arrival *arrival)
{
    if (__builtin_expect(request->persistent || request->received_part, 0)) {
        if (arrival->message)
            add_messages(recorder, request,
                         request->received_part ? MPROF_KIND_RECEIVED : MPROF_KIND_START,
                         arrival->bytes);
        return;
    }
    if (!recorder_lock(recorder))
        return;
    recorder->bin.bytes += arrival->bytes;
    record_arrival(recorder, key_of(request, 0), arrival->bytes, request->call_ticks);
    recorder_unlock(recorder);
}

/* The time of the completing call, under the call that started the request. */
static void give_back(const struct call *completing, const struct request *request, uint64_t bytes,
                      uint64_t ticks)
{
    struct recorder *recorder = completing->recorder;
    if (recorder_lock(recorder)) {
        if (__builtin_expect(request->recorder == recorder && !recorder->shared, 1)) {
            const struct completion completion = {ticks,
                                                  completing->start_ticks - request->stop_ticks,
                                                  thread_state.mpi_ticks - request->mpi_ticks};
            record_completion(recorder, key_of(request, bytes), &completion);
        } else {
            record_completion_elsewhere(recorder, key_of(request, bytes), ticks);
        }
        recorder_unlock(recorder);
    }
    if (__builtin_expect(request->collective, 0))
        journal_complete(communicator_of(request), request->journal_place,
                         request->persistent ? ticks : request->call_ticks + ticks);
}

static void complete_receive(const struct call *completing, const struct request *request,
                             const struct arrival *arrival, uint64_t ticks)
{
    struct recorder *recorder = completing->recorder;
    uint32_t world_peer = request->comm != NULL
                              ? comm_world_rank(recorder, request->comm, arrival->source)
                              : MPROF_RANK_OUTSIDE;
    add_message(completing, request,
                &(struct added_message){world_peer, 1, arrival->bytes,
                                        request->persistent ? ticks : request->call_ticks + ticks,
                                        arrival->tag});
}

static bool was_asked_for(const struct request *request, const struct arrival *arrival)
{
    return (request->told.source < 0 || request->told.source == arrival->source) &&
           (request->told.tag == MPROF_TAG_ANY || request->told.tag == arrival->tag) &&
           arrival->bytes <= request->bytes;
}

/* What came by a receive, as far as the MPI has told it. */
static struct arrival arrival_of(const struct call *completing, const struct pending *pending)
{
    const struct request *request = pending->request;
    struct arrival arrival = pending->arrival;
    if (request->seen && arrival.source < 0)
        arrival = (struct arrival){.message = true,
                                   .source = request->told.source,
                                   .bytes = request->bytes,
                                   .tag = request->told.tag};
    if (request->kind == REQUEST_RECEIVE && !comm_has_rank(request->comm, arrival.source))
        arrival.message = false;
    if (request->received_part) {
        parts_are_untold |= !arrival.message || !was_asked_for(request, &arrival);
        arrival.message = arrival.message && !parts_are_untold;
        completing->recorder->live->untold_receives += !arrival.message;
    }
    if (!arrival.message)
        arrival.bytes = 0;
    return arrival;
}

static COLD void complete_slowly(const struct call *completing, const struct pending *pending,
                                 uint64_t ticks)
{
    const struct request *request = pending->request;
    if (request->kind == REQUEST_OTHER) {
        if (request->partner)
            add_message(completing, request,
                        &(struct added_message){request->world_peer, 0, 0, ticks, 0});
        give_back(completing, request, request->bytes, ticks);
    } else {
        const struct arrival arrival = arrival_of(completing, pending);
        add_bytes(completing->recorder, request, &arrival);
        if (request->kind == REQUEST_RECEIVE && arrival.message)
            complete_receive(completing, request, &arrival, ticks);
        if (request->kind == REQUEST_IO)
            file_arrived(request->moves, arrival.bytes, ticks);
        give_back(completing, request, arrival.bytes, ticks);
    }
    if (request->persistent)
        pending->handle.payload->request.active = false;
    else
        forget_request(pending->handle, request->comm);
}

static HOT struct mprof_partner *row_of(const struct recorder *recorder,
                                        const struct request_rows *rows)
{
    return (struct mprof_partner *)((char *)recorder->partners + rows->partner);
}

/* The partner's row, if all rows are where this line's last message had them, else NULL. */
static HOT struct mprof_partner *known_row(const struct recorder *recorder,
                                           const struct request *request, uint64_t bytes,
                                           enum mprof_partner_kind kind, uint32_t rank)
{
    const struct request_rows *rows = request->request_rows;
    if (rows->word != request->word || rows->callsite != request->callsite ||
        rows->completed->size != bytes)
        return NULL;
    struct mprof_partner *row = row_of(recorder, rows);
    return partner_is(row, partner_word(kind, rank), request->callsite) && recorder->plain ? row
                                                                                           : NULL;
}

/* The short path, for a message with the same rows as the last one. First everything is compared,
 * then everything is added. No function is called, so no register is saved: 45 and 70 instructions
 * instead of 130 and 180. False = the message needs the long path. */
static HOT bool complete_send(const struct recorder *recorder, const struct request *request,
                              uint64_t ticks)
{
    struct mprof_partner *row =
        known_row(recorder, request, request->bytes, MPROF_PARTNER_SENT, request->world_peer);
    if (__builtin_expect(row == NULL, 0))
        return false;
    row->ticks += ticks;
    return true;
}

static HOT bool complete_plain_receive(struct recorder *recorder, const struct request *request,
                                       const struct arrival *arrival, uint64_t ticks)
{
    const struct request_rows *rows = request->request_rows;
    const struct comm *comm = request->comm;
    uint32_t source;
    if (__builtin_expect(!arrival->message || comm == NULL ||
                             (uint32_t)arrival->source >= comm->ranks ||
                             !comm_known_rank(recorder, comm, arrival->source, &source),
                         0))
        return false;
    struct mprof_partner *row =
        known_row(recorder, request, arrival->bytes, MPROF_PARTNER_RECEIVED, source);
    if (__builtin_expect(
            row == NULL || rows->pending->size != 0 || rows->arrived->size != arrival->bytes, 0))
        return false;
    recorder->bin.bytes += arrival->bytes;
    rows->pending->calls--;
    rows->pending->ticks -= request->call_ticks;
    entry_add(rows->arrived, arrival->bytes, request->call_ticks);
    row->messages++;
    row->bytes += arrival->bytes;
    row->ticks += request->call_ticks + ticks;
    return true;
}

static HOT bool complete_quickly(struct recorder *recorder, const struct pending *pending,
                                 uint64_t ticks)
{
    const struct request *request = pending->request;
    if (request->recorder != recorder)
        return false;
    switch (word_at(&request->kind)) {
    case IS_PLAIN_SEND:
        return complete_send(recorder, request, ticks);
    case IS_PLAIN_RECEIVE:
        return complete_plain_receive(recorder, request, &pending->arrival, ticks);
    default:
        return false;
    }
}

/* The line's last message had another size or partner: a loop over neighbours, or messages of many
 * sizes. Remembers this message's rows. False if one of them is not there yet. */
static bool find_other_rows(struct recorder *recorder, const struct pending *pending)
{
    const struct request *request = pending->request;
    struct request_rows *rows = request->request_rows;
    const bool receives = request->kind == REQUEST_RECEIVE;
    uint32_t rank = request->world_peer;
    if (!recorder->plain || request->recorder != recorder || rows->word != request->word ||
        rows->callsite != request->callsite ||
        (receives && (request->comm == NULL ||
                      !comm_known_rank(recorder, request->comm, pending->arrival.source, &rank))))
        return false;
    const struct mprof_partner *partner = row_of(recorder, rows);
    if (!partner_is(partner, partner_word(request->partner_kind, rank), request->callsite))
        partner = partner_find(recorder, request->partner_kind, rank, request->callsite);
    struct entry_key key = key_of(request, receives ? pending->arrival.bytes : request->bytes);
    struct mprof_entry *arrived = rows->arrived;
    if (receives && arrived->size != key.size)
        arrived = entry_find(recorder, &key);
    struct mprof_entry *completed = rows->completed;
    key.word += (uint64_t)MPROF_KIND_COMPLETION << KIND_SHIFT;
    if (completed->size != key.size)
        completed = entry_find(recorder, &key);
    if (partner == NULL || arrived == NULL || completed == NULL)
        return false;
    rows->partner = (uint32_t)((const char *)partner - (const char *)recorder->partners);
    rows->arrived = arrived;
    rows->completed = completed;
    return true;
}

/* The entry that gets the time of the completing call, and the handle, which is free again. */
static HOT void end_request(const struct call *completing, const struct pending *pending,
                            uint64_t ticks)
{
    const struct request *request = pending->request;
    struct mprof_entry *completed = request->request_rows->completed;
    completed->calls++;
    completed->ticks += ticks;
    completed->span_ticks += completing->start_ticks - request->stop_ticks;
    completed->span_mpi_ticks += thread_state.mpi_ticks - request->mpi_ticks;
    forget_request(pending->handle, request->comm);
}

static __attribute__((noinline)) void
complete_on_other_rows(const struct call *completing, const struct pending *pending, uint64_t ticks)
{
    if (find_other_rows(completing->recorder, pending) &&
        complete_quickly(completing->recorder, pending, ticks))
        end_request(completing, pending, ticks);
    else
        complete_slowly(completing, pending, ticks);
}

/* Two functions, so that each has registers enough and saves none. */
static __attribute__((noinline)) void end_send(const struct call *completing,
                                               const struct pending *pending, uint64_t ticks)
{
    if (__builtin_expect(complete_send(completing->recorder, pending->request, ticks), 1))
        end_request(completing, pending, ticks);
    else
        complete_on_other_rows(completing, pending, ticks);
}

static __attribute__((noinline)) void end_receive(const struct call *completing,
                                                  const struct pending *pending, uint64_t ticks)
{
    if (__builtin_expect(complete_plain_receive(completing->recorder, pending->request,
                                                &pending->arrival, ticks),
                         1))
        end_request(completing, pending, ticks);
    else
        complete_on_other_rows(completing, pending, ticks);
}

void request_complete(const struct call *completing, const struct pending *pending, uint64_t ticks)
{
    const struct request *request = pending->request;
    const uint64_t what = word_at(&request->kind);
    const bool is_own = __builtin_expect(request->recorder == completing->recorder, 1);
    if (is_own && what == IS_PLAIN_SEND)
        end_send(completing, pending, ticks);
    else if (is_own && what == IS_PLAIN_RECEIVE)
        end_receive(completing, pending, ticks);
    else
        complete_slowly(completing, pending, ticks);
}
