/* The last calls of a thread: what it did before it hung, or was killed (mprof_last_call).
 *
 * A ring in the live file. The finished file leaves it out. A run of polls of one line is one item.
 * Only the thread writes it. Threads that share a recorder have none; where there is no room for a
 * ring, the recorder has one of a single item, which nobody reads.
 */
#ifndef MPROF_LAST_CALLS_H
#define MPROF_LAST_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hot.h"
#include "record/call.h"
#include "record/recorder.h"

enum { LAST_CALLS = 1024 };

/* So a copy of 16 bytes from `item` to `callsite` brings `bytes`, too. */
MPROF_STATIC_ASSERT(offsetof(struct mprof_last_call, bytes) ==
                        offsetof(struct mprof_last_call, callsite) + sizeof(uint64_t) &&
                    offsetof(struct call_marks, item_bytes) ==
                        offsetof(struct call_marks, item) + sizeof(uint64_t));

/* In a new recorder. */
void last_calls_open(struct recorder *recorder);

static HOT void last_calls_add(struct recorder *recorder, const struct call *call,
                               const struct call_marks *marks)
{
    struct mprof_last_call *item = recorder->last_call;
    item->start_ticks = call->start_ticks;
    item->ticks = call->ticks;
    memcpy(&item->callsite, &marks->item, 2 * sizeof marks->item); /* in one go; then the peer */
    item->peer = call->peer;
    item++;
    recorder->last_call = item == recorder->last_calls_end ? recorder->last_calls : item;
}

/* After a timed poll: if the item before is one of the same poll, both become one. */
void last_calls_join_polls(struct recorder *recorder);

/* So many polls went without the clock since the last item, which is of the same path if `call` is
 * its thread_state.last_call. */
void last_calls_add_polls(struct recorder *recorder, uint64_t call, uint32_t polls);

#endif
