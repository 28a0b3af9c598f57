/* One MPI call of the program while it runs, from the wrapper's entry to its record.
 *
 * The generated and the hand-written wrappers use it in this order; everything between call_start
 * and call_stop is the MPI library's own time, everything else is ours and is not billed to MPI:
 *
 *     struct call call;
 *     if (!call_begin(&call, function)) return PMPI...      nested, or nothing is recorded
 *     call.comm = ...; call.peer = ...;                     what is known before
 *     call_start(&call);  result = PMPI...;  call_stop(&call);
 *     call.size = ...; partners, requests                   what is known after, if it succeeded
 *     call_end(&call);
 *
 * Runs on any thread; touches only this thread's recorder.
 */
#ifndef MPROF_CALL_H
#define MPROF_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "communicators.h"
#include "recorder.h"

struct call {
    struct recorder *recorder;
    struct comm *comm; /* NULL = none, or not known */
    uint64_t start_ticks;
    uint64_t ticks;
    uint64_t size; /* bytes of this call, by the glossary's definition for its family */
    int32_t peer;  /* rank in comm, or MPROF_NO_PEER */
    uint16_t function;
    uint8_t kind; /* MPROF_KIND_CALL or MPROF_KIND_PENDING */
};

/* First call of a thread, or a nested call (life.c). False = do not record. */
bool call_begin_slowly(struct call *call);

static inline bool call_begin(struct call *call, uint16_t function)
{
    struct thread_state *thread = &thread_state;
    call->recorder = thread->recorder;
    call->comm = NULL;
    call->size = 0;
    call->peer = MPROF_NO_PEER;
    call->function = function;
    call->kind = MPROF_KIND_CALL;
    if (__builtin_expect(thread->depth != 0 || thread->recorder == NULL, 0))
        return call_begin_slowly(call);
    thread->depth = 1;
    thread->outermost = call;
    return true;
}

static inline uint16_t call_communicator(const struct call *call)
{
    return call->comm != NULL ? call->comm->slot : (uint16_t)MPROF_COMM_SLOT_NONE;
}

static inline struct entry_key call_key(const struct call *call)
{
    struct entry_key key;
    key.size = call->size;
    key.function = call->function;
    key.region = thread_state.region;
    key.communicator = call_communicator(call);
    key.kind = call->kind;
    key.callsite = 0;
    return key;
}

/* From here on the live file shows the thread in this call. */
static inline void call_start(struct call *call)
{
    struct mprof_thread *live = call->recorder->live;
    live->call_communicator = call_communicator(call);
    live->call_peer = call->peer;
    call->start_ticks = clock_ticks();
    live->ticks = call->start_ticks;
    live->in_call = call->function + 1u;
}

static inline void call_stop(struct call *call)
{
    uint64_t now = clock_ticks();
    call->ticks = now - call->start_ticks;
    struct mprof_thread *live = call->recorder->live;
    live->ticks = now;
    live->in_call = 0;
}

static inline void call_end(struct call *call)
{
    struct entry_key key = call_key(call);
    record_call(call->recorder, &key, call->ticks);
    thread_state.depth = 0;
}

/* A message of this call to or from `rank` of its communicator. */
static inline void call_partner(struct call *call, enum mprof_partner_kind kind, int rank,
                                uint64_t bytes)
{
    uint32_t world_rank =
        call->comm != NULL ? comm_world_rank(call->recorder, call->comm, rank) : MPROF_RANK_OUTSIDE;
    record_partner(call->recorder, kind, world_rank, bytes);
}

#endif
