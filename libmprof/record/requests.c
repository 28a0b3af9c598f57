/* Requests (requests.h). */
#include "requests.h"

bool requests_were_cancelled;

/* Not persistent ones begin with the call that makes them. */
static void begin_span(struct request *request, const struct call *call)
{
    request->recorder = call->recorder;
    request->stop_ticks = call->start_ticks + call->ticks;
    /* This call is added when it ends. */
    request->mpi_ticks = thread_state.mpi_ticks + call->ticks;
}

static bool enter(struct call *call, uint64_t handle, struct request request)
{
    union handle_payload *payload = handle_enter(HANDLE_REQUEST, handle);
    if (payload == NULL) {
        call->recorder->live->untracked_requests++;
        return false;
    }
    request.function = call->function;
    request.region = thread_state.region;
    request.communicator = call_communicator(call);
    request.callsite = call->path->callsite;
    request.call_ticks = call->ticks;
    begin_span(&request, call);
    if (request.kind == REQUEST_RECEIVE)
        request.comm = comm_keep(call->comm);
    payload->request = request;
    return true;
}

void request_enter(struct call *call, uint64_t handle, enum request_kind kind)
{
    struct request request = {.kind = (uint8_t)kind, .bytes = call->size};
    if (kind == REQUEST_RECEIVE) {
        request.partner = true;
        request.partner_kind = MPROF_PARTNER_RECEIVED;
    } else if (call->world_peer != MPROF_RANK_OTHER) {
        request.partner = true;
        request.partner_kind = call->partner_kind;
        request.world_peer = call->world_peer;
    }
    if (enter(call, handle, request) && kind != REQUEST_OTHER)
        call->kind = MPROF_KIND_PENDING;
}

void request_enter_received_part(struct call *call, uint64_t handle)
{
    struct request request = {.kind = REQUEST_RECEIVE,
                              .partner = true,
                              .partner_kind = MPROF_PARTNER_RECEIVED,
                              .received_part = true};
    enter(call, handle, request);
}

void request_enter_collective(struct call *call, uint64_t handle, uint32_t operation)
{
    struct request request = {.kind = REQUEST_OTHER, .bytes = call->size, .collective = true};
    if (operation != 0)
        request.journal_place = journal_append(call->comm->slot, operation, 0);
    enter(call, handle, request);
}

void request_enter_persistent(struct call *call, uint64_t handle, const struct persistent *made)
{
    struct request request = {.kind = (uint8_t)made->kind,
                              .persistent = true,
                              .bytes = made->bytes,
                              .collective = made->collective,
                              .operation = made->operation};
    request.partner = made->kind == REQUEST_RECEIVE || made->peer != MPROF_NO_PEER;
    request.partner_kind =
        made->kind == REQUEST_RECEIVE ? MPROF_PARTNER_RECEIVED : MPROF_PARTNER_SENT;
    if (made->kind == REQUEST_OTHER && request.partner)
        request.world_peer = call->comm == NULL
                                 ? MPROF_RANK_OUTSIDE
                                 : comm_world_rank(call->recorder, call->comm, made->peer);
    enter(call, handle, request);
}

static struct entry_key key_of(const struct request *request, uint8_t kind, uint64_t size)
{
    struct entry_key key;
    key.size = size;
    key.word = entry_word(request->function, request->region, request->communicator, kind);
    key.callsite = request->callsite;
    return key;
}

/* `messages` 0: more time for a message that was counted before. */
static void record_message(struct recorder *recorder, const struct request *request,
                           uint32_t world_peer, uint32_t messages, uint64_t bytes, uint64_t ticks)
{
    struct exchange exchange = {.kind = request->partner_kind,
                                .world_rank = world_peer,
                                .callsite = request->callsite,
                                .messages = messages,
                                .bytes = bytes,
                                .ticks = ticks};
    record_exchange(recorder, &exchange);
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
        request->journal_place = journal_append(request->communicator, request->operation, 0);
    if (request->kind != REQUEST_OTHER)
        return;
    struct entry_key key = key_of(request, MPROF_KIND_START, request->bytes);
    record_messages(call->recorder, &key, 1, request->bytes);
    if (request->partner)
        record_message(call->recorder, request, request->world_peer, 1, request->bytes, 0);
}

static void forget(struct handle found, const struct request *request)
{
    if (handle_remove(found) && request->comm != NULL)
        comm_release(request->comm);
}

void request_forget(uint64_t handle)
{
    struct handle found = handle_find(HANDLE_REQUEST, handle);
    if (found.seen != 0) {
        struct request request = found.payload->request;
        forget(found, &request);
    }
}

bool request_look_up(uint64_t handle, struct pending *pending)
{
    pending->handle = handle_find(HANDLE_REQUEST, handle);
    if (pending->handle.seen == 0)
        return false;
    pending->request = &pending->handle.payload->request;
    if (!handles_are_one_at_a_time()) {
        pending->copy = *pending->request;
        pending->request = &pending->copy;
    }
    return !pending->request->persistent || pending->request->active;
}

/* The bytes that arrived, under the call that asked for them. */
static void record_bytes(struct recorder *recorder, const struct request *request, uint64_t bytes)
{
    if (request->persistent || request->received_part) {
        uint8_t kind = request->received_part ? MPROF_KIND_RECEIVED : MPROF_KIND_START;
        struct entry_key key = key_of(request, kind, bytes);
        record_messages(recorder, &key, 1, bytes);
    } else {
        struct entry_key key = key_of(request, MPROF_KIND_PENDING, 0);
        record_arrival(recorder, &key, bytes, request->call_ticks);
    }
}

/* The time of the completing call, under the call that started the request. */
static void give_back(const struct call *completing, const struct request *request, uint64_t bytes,
                      uint64_t ticks)
{
    struct completion completion = {.ticks = ticks};
    /* On another thread nobody knows how much of the span was spent in MPI. */
    if (request->recorder == completing->recorder) {
        completion.span_ticks = completing->start_ticks - request->stop_ticks;
        completion.span_mpi_ticks = thread_state.mpi_ticks - request->mpi_ticks;
    }
    struct entry_key key = key_of(request, MPROF_KIND_COMPLETION, bytes);
    record_completion(completing->recorder, &key, &completion);
    if (request->collective)
        journal_complete(request->communicator, request->journal_place,
                         request->persistent ? ticks : request->call_ticks + ticks);
}

static void complete_receive(const struct call *completing, const struct request *request,
                             const struct arrival *arrival, uint64_t ticks)
{
    struct recorder *recorder = completing->recorder;
    uint32_t world_peer = request->comm != NULL
                              ? comm_world_rank(recorder, request->comm, arrival->source)
                              : MPROF_RANK_OUTSIDE;
    record_message(recorder, request, world_peer, 1, arrival->bytes,
                   request->persistent ? ticks : request->call_ticks + ticks);
}

uint64_t request_weight(const struct pending *pending, const struct arrival *arrival)
{
    enum { LATENCY_BYTES = 4096 };
    const struct request *request = pending->request;
    if (request->kind != REQUEST_OTHER)
        return arrival->message ? arrival->bytes + LATENCY_BYTES : 0;
    bool is_send = request->partner && request->partner_kind == MPROF_PARTNER_SENT;
    return is_send ? request->bytes : request->bytes + LATENCY_BYTES;
}

void request_complete(struct call *completing, const struct pending *pending,
                      struct arrival arrival, uint64_t ticks)
{
    const struct request *request = pending->request;
    if (request->kind == REQUEST_RECEIVE && !comm_has_rank(request->comm, arrival.source))
        arrival.message = false;
    bool brings = request->kind != REQUEST_OTHER;
    if (brings && (arrival.message || !(request->persistent || request->received_part)))
        record_bytes(completing->recorder, request, arrival.message ? arrival.bytes : 0);
    if (request->kind == REQUEST_RECEIVE && arrival.message)
        complete_receive(completing, request, &arrival, ticks);
    else if (request->kind == REQUEST_OTHER && request->partner)
        record_message(completing->recorder, request, request->world_peer, 0, 0, ticks);
    uint64_t bytes = brings && arrival.message ? arrival.bytes : 0;
    give_back(completing, request, brings ? bytes : request->bytes, ticks);
    if (request->persistent)
        pending->handle.payload->request.active = false;
    else
        forget(pending->handle, request);
}
