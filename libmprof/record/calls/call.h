/* One MPI call of the program while it runs, or one poll, from the wrapper's entry to its record.
 *
 * The generated and the hand-written wrappers use it in this order; everything between call_start
 * and call_stop is the MPI library's own time, everything else is ours and is not billed to MPI:
 *
 *     struct call call;
 *     if (!call_begin(&call, function)) return PMPI...      nested, or nothing is recorded
 *     call.comm = ...; call.peer = ...;                     what is known before
 *     call_start(&call, function);  result = PMPI...;  call_stop(&call);
 *     call.size = ...; partners, requests                   what is known after, if it succeeded
 *     call_end(&call);
 *
 * Why is a call counted once? MPI_Send may call MPI_Isend inside the library. call_begin() sets the
 * thread's depth to 1, call_end() sets it back to 0, and call_begin() is false where it is not 0.
 *
 * Runs on any thread; touches only this thread's recorder.
 */
#ifndef MPROF_CALL_H
#define MPROF_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hot.h"
#include "record/counters/counters.h"
#include "record/cpu/cpu_samples.h"
#include "record/cpu/cpu_time.h"
#include "record/objects/communicators.h"
#include "record/paths/path_cache.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"
#include "record/tables/entry_rows.h"
#include "record/tables/pair_tables.h"
#include "record/time/polls.h"

/* Another call on this thread has begun and not ended. True: this call is made inside the other
 * one, by the MPI library or by a callback. False: the program left the other call by longjmp() or
 * by a C++ exception from an error handler or another callback. */
bool call_is_nested(const struct call *call);

/* A call that was left counts with no time, because nobody knows when it was left. */
void call_count_left(void);

/* First call of a thread, or a nested call. False = do not record. */
bool call_begin_slowly(struct call *call);

/* The path of the MPI call whose wrapper has this return address and canonical frame address. Never
 * NULL. It is valid until the next call of this function on this thread. */
struct path *call_find_path(const void *return_address, const void *cfa);

/* Inlined always: it asks for the wrapper's own return address and frame. */
static HOT bool call_begin(struct call *call, uint16_t function)
{
    struct thread_state *thread = &thread_state;
    call->recorder = thread->recorder;
    call->comm = NULL;
    call->size = 0;
    call->peer = MPROF_NO_PEER;
    call->world_peer = MPROF_RANK_OTHER;
    call->word = entry_word(function, thread->region, MPROF_COMM_SLOT_NONE, MPROF_KIND_CALL);
    /* Rarely: inside another call, or the first call of a thread. */
    if (__builtin_expect(thread->depth != 0 || thread->recorder == NULL, 0)) {
        if (!call_begin_slowly(call))
            return false;
    } else {
        thread->depth = 1;
        thread->outermost = call;
    }
    call->path = call_find_path(__builtin_return_address(0), path_wrapper_frame());
    return true;
}

static HOT struct entry_key call_key(const struct call *call)
{
    struct entry_key key;
    key.size = call->size;
    key.word = call->word | (call->comm != NULL ? call->comm->word : 0);
    key.callsite = call->path->callsite;
    return key;
}

/* Before call_start(): is the previous call another one than last time? Then the rows of this call
 * are probably not in a near cache. */
static HOT bool call_is_unexpected(const struct call *call)
{
    return __builtin_expect(call->path->last_before != thread_state.last_call, 0);
}

/* Fetches these rows while MPI works. A send among many kinds of messages in mixed order costs 105
 * ns instead of 150. `bytes` is what the call will carry, if that is known. */
void call_foresee(const struct call *call, uint16_t function);
void call_foresee_send(const struct call *call, uint16_t function, uint64_t bytes);

/* When counters are read with the clock, or when the clock is the kernel's. */
uint64_t call_start_slowly(void);
uint64_t call_stop_slowly(void);

/* Computing ends here that may have lacked a CPU (cpu_time.h). Returns the time again. */
uint64_t call_look_at_cpu(const struct call *call, uint16_t function, uint64_t now_ticks);

/* As mprof_thread.call_tag. MPI_ANY_TAG is the only tag below 0 that MPI takes, of receives. */
static inline uint32_t shown_tag(int tag)
{
    return tag < 0 ? MPROF_TAG_ANY : (uint32_t)tag + 1;
}

static inline uint32_t sent_tag(int tag)
{
    return (uint32_t)tag + 1;
}

/* Whom the call is with, for the live file; `tag` is 0 if it has none. */
static HOT void call_show(const struct call *call, uint32_t tag)
{
    struct mprof_thread *live = call->recorder->live;
    live->call_communicator =
        call->comm != NULL ? call->comm->slot : (uint32_t)MPROF_COMM_SLOT_NONE;
    live->call_peer = call->peer;
    live->call_tag = tag;
    live->call_requests = 0;
}

/* Of a blocking standard send, which waits for its receiver only if it is large. The type may not
 * be asked before MPI has accepted it, so this is the count alone. */
static HOT void call_show_count(const struct call *call, int64_t count)
{
    call->recorder->live->call_count = count < 0            ? 0
                                       : count > UINT32_MAX ? UINT32_MAX
                                                            : (uint32_t)count;
}

/* After call_show(): from here on the live file shows the thread in this call. */
static HOT void call_start_shown(struct call *call, uint16_t function)
{
    struct mprof_thread *live = call->recorder->live;
    live->call_callsite = call->path->callsite;
    uint64_t now = __builtin_expect(clock_is_alone, 1) ? clock_counter() : call_start_slowly();
    if (__builtin_expect(now >= thread_state.cpu.deadline, 0))
        now = call_look_at_cpu(call, function, now);
    live->ticks = call->start_ticks = now;
    live->in_call = function + 1u;
}

static HOT void call_start_message(struct call *call, uint16_t function, uint32_t tag)
{
    call_show(call, tag);
    call_start_shown(call, function);
}

static HOT void call_start(struct call *call, uint16_t function)
{
    call_start_message(call, function, 0);
}

static HOT void call_stop(struct call *call)
{
    uint64_t now = __builtin_expect(clock_is_alone, 1) ? clock_counter() : call_stop_slowly();
    call->ticks = now - call->start_ticks;
    struct mprof_thread *live = call->recorder->live;
    live->ticks = now;
    live->last_function = live->in_call;
    live->in_call = 0;
}

/* The record of the call and of the computing before it. */
void call_end(struct call *call);

/* Replaces call_end() after long work of libmprof itself. The next computing begins now, not at the
 * end of MPI's part of the call. */
static HOT void call_end_after_own_work(struct call *call)
{
    thread_state.own_work = true;
    thread_state.cpu.deadline = 0; /* MPI_Init fills many time bins */
    call_end(call);
    thread_state.own_work = false;
    cpu_time_skip();
    cpu_samples_watch_anew();
    thread_state.last_stop_ticks = clock_ticks();
}

/* The same for a partner that is not that of the last message. */
void call_exchange_slowly(const struct call *call, enum mprof_partner_kind kind, unsigned messages,
                          uint64_t bytes, uint64_t ticks);

/* This call's messages to or from `rank` of its communicator; `ticks` is their share of the call.
 * There may be none: MPI_Probe waits for a message that another call receives. */
static HOT void call_exchange_some(struct call *call, enum mprof_partner_kind kind, int rank,
                                   unsigned messages, uint64_t bytes, uint64_t ticks)
{
    const struct path_partner *last = &call->path->partners[(uint32_t)kind % PATH_PARTNERS];
    call->partner_kind = (uint8_t)kind;
    call->world_peer =
        call->comm != NULL ? comm_world_rank(call->recorder, call->comm, rank) : MPROF_RANK_OUTSIDE;
    if (__builtin_expect(last->word != partner_word(kind, call->world_peer), 0)) {
        call_exchange_slowly(call, kind, messages, bytes, ticks);
        return;
    }
    last->row->messages += messages;
    last->row->bytes += bytes;
    last->row->ticks += ticks;
}

static HOT void call_exchange(struct call *call, enum mprof_partner_kind kind, int rank,
                              uint64_t bytes, uint64_t ticks)
{
    call_exchange_some(call, kind, rank, 1, bytes, ticks);
}

/* ---- polls ----------------------------------------------------------------------------------- */

/* A poll while it runs (time/polls.h says what polls are): in place of call_start(), call_stop()
 * and call_end() (call.h), on the calling thread.
 */

/* The end of a timed poll. */
void poll_end_timed(struct call *call);

/* In place of call_start(). */
static HOT void poll_start_untimed(struct call *call)
{
    call->start_ticks = 0; /* polls_guess_time() */
}

/* In place of call_stop(). Must come before anything else is recorded, because a table of rows may
 * move then. */
static HOT void poll_stop(struct call *call, bool timed)
{
    if (timed) {
        call_stop(call);
        return;
    }
    struct thread_state *thread = &thread_state;
    struct path *path = call->path;
    path->last_entry->calls++;
    path->last_segment->count++;
    thread->polls_left--;
    thread->last_call = path->marks.call | LAST_CALL_UNTIMED;
    if (path->untimed++ == 0)
        polls_remember(path);
}

/* In place of call_end(). */
static HOT void poll_end(struct call *call, bool timed)
{
    if (timed)
        poll_end_timed(call);
    else
        thread_state.depth = 0;
}

#endif
