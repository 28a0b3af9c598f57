/* The last calls of a thread: what it did before it hung, or was killed (mprof_last_call).
 *
 * A ring in the live file. The finished file leaves it out. A run of polls of one line is one item.
 * Only the thread writes it. Threads that share a recorder have none; where there is no room for a
 * ring, the recorder has one of a single item, which nobody reads.
 */
#ifndef MPROF_LAST_CALLS_H
#define MPROF_LAST_CALLS_H

#include <stdint.h>

#include "base/hot.h"
#include "record/call.h"
#include "record/recorder.h"

enum { LAST_CALLS = 1024 };

/* In a new recorder. */
void last_calls_open(struct recorder *recorder);

/* `word` as that of the call's entry, `this_call` as thread_state.last_call. */
static HOT void last_calls_add(struct recorder *recorder, const struct call *call, uint64_t word,
                               uint64_t this_call)
{
    struct mprof_last_call *item = recorder->last_call;
    uint32_t bytes = call->size < UINT32_MAX ? (uint32_t)call->size : UINT32_MAX;
    item->start_ticks = call->start_ticks;
    item->ticks = call->ticks;
    item->callsite = (uint32_t)this_call;
    item->function = (uint16_t)(this_call >> 32);
    item->communicator = (uint16_t)(word >> COMMUNICATOR_SHIFT);
    item->peer = call->peer;
    item->bytes = bytes;
    item++;
    recorder->last_call = item == recorder->last_calls_end ? recorder->last_calls : item;
}

/* After a timed poll: if the item before is one of the same poll, both become one. */
void last_calls_join_polls(struct recorder *recorder);

/* So many polls went without the clock since the last item, which is of the same path if `call` is
 * its thread_state.last_call. */
void last_calls_add_polls(struct recorder *recorder, uint64_t call, uint32_t polls);

#endif
