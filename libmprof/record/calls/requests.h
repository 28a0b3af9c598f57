/* Requests between their start and their completion: whose bytes they are, and from whom they came.
 *
 * The bytes of a receive (and of nonblocking file access) are known only when it completes, in
 * another call and perhaps on another thread. They belong to the call that started it: MPI_Irecv is
 * recorded as PENDING when it is made and moves to its true size on completion. Persistent requests
 * are recorded when they are made, and each start (receives: each completion) adds a START under
 * the function that made the request.
 *
 * Used by the interposition layer, which reads requests and statuses; here are only integers. Order
 * around a completing call: request_look_up() before it for each request, because afterwards the
 * handle may already belong to someone else; request_complete() after it for each that completed.
 */
#ifndef MPROF_REQUESTS_H
#define MPROF_REQUESTS_H

#include "record/calls/call.h"
#include "record/objects/handles.h"

/* MPI_Cancel was called at least once: only then do the completing calls ask whether a message was
 * cancelled. */
extern HIDDEN bool requests_were_cancelled;

/* What a completed request brought. */
struct arrival {
    bool message; /* false: cancelled, or from MPI_PROC_NULL */
    int source;   /* rank in the request's communicator */
    uint64_t bytes;
    uint32_t tag; /* as mprof_thread.call_tag */
};

/* A request as it was when the completing call began. */
struct pending {
    struct handle handle;
    const struct request *request; /* in the table of handles, or, with threads, the copy */
    struct request copy;
    struct arrival arrival;
    uint64_t weight; /* for the caller's use */
};

/* After a call that returned a request. Its bytes are those of the call. */
void request_enter(struct call *call, uint64_t handle);

/* A receive, whose bytes are known when it completes. */
void request_enter_receive(struct call *call, uint64_t handle);

/* Nonblocking access to a file, whose row gets what the request brings. */
void request_enter_io(struct call *call, uint64_t handle, struct mprof_file_moves *moves);

/* The receiving half of MPI_Isendrecv, which asks for at most that. MPICH 4 and 5 never write a
 * status for it, and give what was in its memory. What was not asked for is not counted. */
void request_enter_received_part(struct call *call, uint64_t handle, const struct arrival *asked);

/* A nonblocking collective of this operation (journals.h), or 0. */
void request_enter_collective(struct call *call, uint64_t handle, uint32_t operation);

/* A persistent request carries the payload of each of its starts and, when it sends, `peer`, the
 * rank that it sends to, or MPROF_NO_PEER; a collective its operation, or 0. */
struct persistent {
    enum request_kind kind;
    uint64_t bytes;
    int peer;
    bool collective;
    uint32_t operation;
};
void request_enter_persistent(struct call *call, uint64_t handle, const struct persistent *made);

/* MPI_Start: a persistent send counts now, a receive when it completes. */
void request_start(const struct call *call, uint64_t handle);

/* MPI_Request_get_status told what an active request brought. MPICH 5 tells it only once of a
 * persistent receive: the status of the completing call is empty then. */
void request_seen(uint64_t handle, const struct arrival *arrival);

/* MPI_Request_free of a request that was looked up before. What has not completed will never be
 * known. */
struct comm *request_comm(struct handle found);
void request_forget(struct handle found, struct comm *comm);

/* False if the request is not known or is persistent and was not started. */
static HOT bool request_look_up(uint64_t handle, struct pending *pending)
{
    pending->handle = handle_find(HANDLE_REQUEST, handle);
    if (pending->handle.seen == 0)
        return false;
    pending->request = &pending->handle.payload->request;
    if (__builtin_expect(!handles_are_one_at_a_time, 0)) {
        pending->copy = *pending->request;
        pending->request = &pending->copy;
    }
    return !pending->request->persistent || pending->request->active;
}

static HOT bool request_brings_bytes(const struct pending *pending)
{
    return pending->request->kind != REQUEST_OTHER;
}

/* In place of call_show(), for a call that waits for `count` requests or tests them: `only` is the
 * one that has not ended, or NULL. */
static HOT void request_show(const struct call *call, uint32_t count, const struct request *only)
{
    struct mprof_thread *live = call->recorder->live;
    live->call_requests = count;
    live->call_communicator = only != NULL ? (uint16_t)(only->word >> COMMUNICATOR_SHIFT)
                                           : (uint32_t)MPROF_COMM_SLOT_NONE;
    live->call_peer = only != NULL ? only->peer : MPROF_NO_PEER;
    live->call_tag = only != NULL ? only->tag : 0;
    live->call_starter = only != NULL ? (uint16_t)only->word + 1u : 0;
}

/* `ticks` is its share of the completing call. Receives and file access say in `pending->arrival`
 * what they brought. */
void request_complete(const struct call *completing, const struct pending *pending, uint64_t ticks);

/* The share of a completing call that a request gets is in proportion to its weight: what its
 * transfer takes by a simple model, in bytes. A receive, a collective or file access has to wait
 * for something, which counts as 4 KiB (some microseconds at some GB/s); a send can complete as
 * soon as its bytes are copied. So when a large receive and a small send are waited for together,
 * the time goes to the receive. */
enum { LATENCY_BYTES = 4096 };

static HOT uint64_t arrival_weight(const struct arrival *arrival)
{
    return arrival->message ? arrival->bytes + LATENCY_BYTES : 0;
}

static HOT uint64_t request_weight(const struct pending *pending)
{
    const struct request *request = pending->request;
    if (request->kind != REQUEST_OTHER)
        return arrival_weight(&pending->arrival);
    bool is_send = request->partner && request->partner_kind == MPROF_PARTNER_SENT;
    return is_send ? request->bytes : request->bytes + LATENCY_BYTES;
}

#endif
