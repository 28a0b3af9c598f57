/* Requests (requests.h). */
#include "requests.h"

bool requests_were_cancelled;

static struct request *enter(struct call *call, uint64_t handle, struct request request)
{
    union handle_payload *payload = handle_enter(HANDLE_REQUEST, handle);
    if (payload == NULL) {
        call->recorder->live->untracked_requests++;
        return NULL;
    }
    request.function = call->function;
    request.region = thread_state.region;
    request.communicator = call_communicator(call);
    request.start_ticks = call->start_ticks;
    request.call_ticks = call->ticks;
    if (request.kind == REQUEST_RECEIVE)
        request.comm = comm_keep(call->comm);
    payload->request = request;
    return &payload->request;
}

void request_enter(struct call *call, uint64_t handle, enum request_kind kind)
{
    struct request request = {.kind = (uint8_t)kind, .partner = kind == REQUEST_RECEIVE};
    if (enter(call, handle, request) != NULL && kind != REQUEST_OTHER)
        call->kind = MPROF_KIND_PENDING;
}

void request_enter_received_part(struct call *call, uint64_t handle)
{
    struct request request = {.kind = REQUEST_RECEIVE, .partner = true, .received_part = true};
    enter(call, handle, request);
}

void request_enter_persistent(struct call *call, uint64_t handle, enum request_kind kind,
                              uint64_t bytes, int peer)
{
    struct request request = {.kind = (uint8_t)kind, .persistent = true, .bytes = bytes};
    request.partner = kind == REQUEST_RECEIVE || peer != MPROF_NO_PEER;
    if (kind == REQUEST_OTHER && request.partner)
        request.peer = call->comm == NULL
                           ? (int32_t)MPROF_RANK_OUTSIDE
                           : (int32_t)comm_world_rank(call->recorder, call->comm, peer);
    enter(call, handle, request);
}

static struct entry_key key_of(const struct request *request, uint8_t kind, uint64_t size)
{
    return (struct entry_key){.size = size,
                              .function = request->function,
                              .region = request->region,
                              .communicator = request->communicator,
                              .kind = kind,
                              .callsite = request->callsite};
}

void request_start(struct recorder *recorder, uint64_t handle)
{
    struct handle found = handle_find(HANDLE_REQUEST, handle);
    if (found.seen == 0 || !found.payload->request.persistent)
        return;
    struct request *request = &found.payload->request;
    request->active = true;
    if (request->kind != REQUEST_OTHER)
        return;
    struct entry_key key = key_of(request, MPROF_KIND_START, request->bytes);
    record_messages(recorder, &key, 1, request->bytes);
    if (request->partner)
        record_partner(recorder, MPROF_PARTNER_SENT, (uint32_t)request->peer, request->bytes);
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
    pending->request = pending->handle.payload->request;
    return !pending->request.persistent || pending->request.active;
}

/* The bytes that arrived, under the call that asked for them. */
static void record_arrival(struct recorder *recorder, const struct request *request, uint64_t bytes)
{
    if (request->persistent || request->received_part) {
        uint8_t kind = request->received_part ? MPROF_KIND_RECEIVED : MPROF_KIND_START;
        struct entry_key key = key_of(request, kind, bytes);
        record_messages(recorder, &key, 1, bytes);
    } else {
        struct entry_key key = key_of(request, MPROF_KIND_PENDING, 0);
        record_completion(recorder, &key, bytes, request->call_ticks);
    }
}

void request_complete(struct recorder *recorder, const struct pending *pending,
                      struct arrival arrival)
{
    const struct request *request = &pending->request;
    if (request->kind == REQUEST_RECEIVE && !comm_has_rank(request->comm, arrival.source))
        arrival.message = false;
    if (request->kind != REQUEST_OTHER &&
        (arrival.message || !(request->persistent || request->received_part)))
        record_arrival(recorder, request, arrival.message ? arrival.bytes : 0);
    if (request->kind == REQUEST_RECEIVE && arrival.message) {
        uint32_t source = request->comm != NULL
                              ? comm_world_rank(recorder, request->comm, arrival.source)
                              : MPROF_RANK_OUTSIDE;
        record_partner(recorder, MPROF_PARTNER_RECEIVED, source, arrival.bytes);
    }
    if (request->persistent)
        pending->handle.payload->request.active = false;
    else
        forget(pending->handle, request);
}
