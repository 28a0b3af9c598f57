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

#include "call.h"
#include "handles.h"

/* MPI_Cancel was called at least once: only then do the completing calls ask whether a message was
 * cancelled. */
extern bool requests_were_cancelled;

/* A request as it was when the completing call began. */
struct pending {
    struct handle handle;
    struct request request;
};

/* What a completed request brought. */
struct arrival {
    bool message; /* false: cancelled, or from MPI_PROC_NULL */
    int source;   /* rank in the request's communicator */
    uint64_t bytes;
};

/* After a call that returned a request: `kind` says what completion will bring. A persistent
 * request carries the payload of each of its starts and, when it sends, `peer`, the rank that it
 * sends to, or MPROF_NO_PEER. */
void request_enter(struct call *call, uint64_t handle, enum request_kind kind);
void request_enter_received_part(struct call *call, uint64_t handle);
void request_enter_persistent(struct call *call, uint64_t handle, enum request_kind kind,
                              uint64_t bytes, int peer);

/* MPI_Start: a persistent send counts now, a receive when it completes. */
void request_start(struct recorder *recorder, uint64_t handle);

/* MPI_Request_free: what is not complete is never known. */
void request_forget(uint64_t handle);

/* False if the request is not known or is persistent and was not started. */
bool request_look_up(uint64_t handle, struct pending *pending);

static inline bool request_brings_bytes(const struct pending *pending)
{
    return pending->request.kind != REQUEST_OTHER;
}

void request_complete(struct recorder *recorder, const struct pending *pending,
                      struct arrival arrival);

#endif
