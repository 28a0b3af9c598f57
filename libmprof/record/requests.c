/* Requests (requests.h). */
#include "record/requests.h"

#include <stddef.h>

#include "record/tables/file_rows.h"
#include "record/tables/tables.h"
#include "record/time/events.h"

bool requests_were_cancelled;

/* Not persistent ones begin with the call that makes them. */
static HOT void begin_span(struct request *request, const struct call *call)
{
    request->recorder = call->recorder;
    request->stop_ticks = call->start_ticks + call->ticks;
    /* This call is added when it ends. */
    request->mpi_ticks = thread_state.mpi_ticks + call->ticks;
}

/* `like` tells what kind of request it is; it is never in memory. The rest is filled in here, field
 * by field: to copy a whole request would have to wait for the stores of its parts. */
static HOT struct request *enter(struct call *call, uint64_t handle, struct request like)
{
    union handle_payload *payload = handle_enter(HANDLE_REQUEST, handle);
    if (__builtin_expect(payload == NULL, 0)) {
        call->recorder->live->untracked_requests++;
        return NULL;
    }
    struct request *request = &payload->request;
    request->word = call_key(call).word;
    request->callsite = call->path->callsite;
    request->request_rows = request_rows_at(call->recorder, request->callsite, call_function(call));
    request->call_ticks = call->ticks;
    begin_span(request, call);
    request->comm = like.kind == REQUEST_RECEIVE ? comm_keep(call->comm) : NULL;
    request->bytes = like.bytes;
    request->world_peer = like.world_peer;
    request->kind = like.kind;
    request->partner_kind = like.partner_kind;
    request->persistent = like.persistent;
    request->active = false;
    request->partner = like.partner;
    request->received_part = like.received_part;
    request->collective = like.collective;
    request->reserved = 0;
    request->peer = call->peer;
    /* What call_start_message() left there, unless another thread came between. */
    request->tag = call->recorder->shared ? 0 : call->recorder->live->call_tag;
    return request;
}

void request_enter(struct call *call, uint64_t handle, enum request_kind kind)
{
    struct request *request;
    if (kind == REQUEST_RECEIVE)
        request = enter(call, handle,
                        (struct request){.kind = REQUEST_RECEIVE,
                                         .partner = true,
                                         .partner_kind = MPROF_PARTNER_RECEIVED});
    else
        request = enter(call, handle,
                        (struct request){.kind = (uint8_t)kind,
                                         .bytes = call->size,
                                         .partner = call->world_peer != MPROF_RANK_OTHER,
                                         .partner_kind = call->partner_kind,
                                         .world_peer = call->world_peer});
    if (request != NULL && kind != REQUEST_OTHER)
        call->word += (uint64_t)MPROF_KIND_PENDING << KIND_SHIFT;
}

void request_enter_io(struct call *call, uint64_t handle, struct mprof_file_moves *moves)
{
    struct request *request = enter(call, handle, (struct request){.kind = REQUEST_IO});
    if (request == NULL)
        return;
    request->moves = moves;
    call->word += (uint64_t)MPROF_KIND_PENDING << KIND_SHIFT;
}

void request_enter_received_part(struct call *call, uint64_t handle)
{
    enter(call, handle,
          (struct request){.kind = REQUEST_RECEIVE,
                           .partner = true,
                           .partner_kind = MPROF_PARTNER_RECEIVED,
                           .received_part = true});
}

void request_enter_collective(struct call *call, uint64_t handle, uint32_t operation)
{
    struct request *request =
        enter(call, handle,
              (struct request){.kind = REQUEST_OTHER, .bytes = call->size, .collective = true});
    struct journal_place place = {0, 0};
    if (operation != 0)
        place = journal_append(call->comm->slot, operation, 0);
    if (request != NULL)
        request->journal_place = place;
}

void request_enter_persistent(struct call *call, uint64_t handle, const struct persistent *made)
{
    struct request like = {.kind = (uint8_t)made->kind,
                           .persistent = true,
                           .bytes = made->bytes,
                           .collective = made->collective};
    like.partner = made->kind == REQUEST_RECEIVE || made->peer != MPROF_NO_PEER;
    like.partner_kind = made->kind == REQUEST_RECEIVE ? MPROF_PARTNER_RECEIVED : MPROF_PARTNER_SENT;
    if (made->kind == REQUEST_OTHER && like.partner)
        like.world_peer = call->comm == NULL
                              ? MPROF_RANK_OUTSIDE
                              : comm_world_rank(call->recorder, call->comm, made->peer);
    struct request *request = enter(call, handle, like);
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

static HOT void forget(struct handle found, struct comm *comm)
{
    if (handle_remove(found) && comm != NULL && comm != comm_of_world)
        comm_release(comm);
}

struct comm *request_comm(struct handle found)
{
    return found.seen != 0 ? found.payload->request.comm : NULL;
}

void request_forget(struct handle found, struct comm *comm)
{
    if (found.seen != 0)
        forget(found, comm);
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
    recorder_lock(recorder);
    recorder->bin.bytes += arrival->bytes;
    record_arrival(recorder, key_of(request, 0), arrival->bytes, request->call_ticks);
    recorder_unlock(recorder);
}

/* The time of the completing call, under the call that started the request. */
static void give_back(const struct call *completing, const struct request *request, uint64_t bytes,
                      uint64_t ticks)
{
    struct completion completion = {.ticks = ticks};
    /* If the request completes on another thread, the MPI time of the span is not known. */
    if (__builtin_expect(request->recorder == completing->recorder, 1) &&
        !completing->recorder->shared) {
        completion.span_ticks = completing->start_ticks - request->stop_ticks;
        completion.span_mpi_ticks = thread_state.mpi_ticks - request->mpi_ticks;
    }
    recorder_lock(completing->recorder);
    record_completion(completing->recorder, key_of(request, bytes), &completion);
    recorder_unlock(completing->recorder);
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
        struct arrival arrival = pending->arrival;
        if (request->kind == REQUEST_RECEIVE && !comm_has_rank(request->comm, arrival.source))
            arrival.message = false;
        if (!arrival.message)
            arrival.bytes = 0;
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
        forget(pending->handle, request->comm);
}

/* What a request is, in one number: its fields from `kind` on, which lie in the order of struct
 * request. Nearly all are one of these two. */
#define IS_PLAIN_SEND ((uint64_t)MPROF_PARTNER_SENT << 8 | 1ull << 32)
#define IS_PLAIN_RECEIVE \
    ((uint64_t)REQUEST_RECEIVE | (uint64_t)MPROF_PARTNER_RECEIVED << 8 | 1ull << 32)
_Static_assert(offsetof(struct request, partner_kind) == offsetof(struct request, kind) + 1 &&
                   offsetof(struct request, partner) == offsetof(struct request, kind) + 4 &&
                   offsetof(struct request, reserved) == offsetof(struct request, kind) + 7,
               "the fields of IS_PLAIN_SEND");

/* Are all rows where this line's last message had them? */
static HOT bool rows_are_known(const struct recorder *recorder, const struct request *request,
                               const struct mprof_partner *row, uint64_t bytes, uint64_t partner)
{
    const struct request_rows *rows = request->request_rows;
    return rows->word == request->word && rows->callsite == request->callsite &&
           rows->completed->size == bytes && partner_is(row, partner, request->callsite) &&
           recorder->plain;
}

static HOT struct mprof_partner *row_of(const struct recorder *recorder,
                                        const struct request_rows *rows)
{
    return (struct mprof_partner *)((char *)recorder->partners + rows->partner);
}

/* The short path, for a message with the same rows as the last one. First everything is compared,
 * then everything is added. No function is called, so no register is saved: 45 and 70 instructions
 * instead of 130 and 180. False = the message needs the long path. */
static HOT bool complete_send(const struct recorder *recorder, const struct request *request,
                              uint64_t ticks)
{
    struct mprof_partner *row = row_of(recorder, request->request_rows);
    if (__builtin_expect(!rows_are_known(recorder, request, row, request->bytes,
                                         partner_word(MPROF_PARTNER_SENT, request->world_peer)),
                         0))
        return false;
    row->ticks += ticks;
    return true;
}

static HOT bool complete_receive_of_world(struct recorder *recorder, const struct request *request,
                                          const struct arrival *arrival, uint64_t ticks)
{
    const struct request_rows *rows = request->request_rows;
    struct mprof_partner *row = row_of(recorder, rows);
    uint32_t source = (uint32_t)arrival->source;
    if (__builtin_expect(!arrival->message || request->comm == NULL ||
                             request->comm != comm_of_world || source >= request->comm->ranks ||
                             !rows_are_known(recorder, request, row, arrival->bytes,
                                             partner_word(MPROF_PARTNER_RECEIVED, source)) ||
                             rows->pending->size != 0 || rows->arrived->size != arrival->bytes,
                         0))
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
        return complete_receive_of_world(recorder, request, &pending->arrival, ticks);
    default:
        return false;
    }
}

void request_complete(const struct call *completing, const struct pending *pending, uint64_t ticks)
{
    const struct request *request = pending->request;
    if (__builtin_expect(!complete_quickly(completing->recorder, pending, ticks), 0)) {
        complete_slowly(completing, pending, ticks);
        return;
    }
    struct mprof_entry *completed = request->request_rows->completed;
    completed->calls++;
    completed->ticks += ticks;
    completed->span_ticks += completing->start_ticks - request->stop_ticks;
    completed->span_mpi_ticks += thread_state.mpi_ticks - request->mpi_ticks;
    handle_remove(pending->handle);
}
