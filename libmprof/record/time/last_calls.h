/* The last calls of a thread: what it did before it hung, or was killed (mprof_last_call).
 *
 * A ring in the live file. The finished file leaves it out. A run of polls of one line is one item.
 * Only the thread writes it. Threads that share a recorder have no ring, nor has a recorder for
 * whose ring there was no room.
 */
#ifndef MPROF_LAST_CALLS_H
#define MPROF_LAST_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hot.h"
#include "base/lock.h"
#include "record/paths/path_cache.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

enum { LAST_CALLS = 1024 };

/* So a copy of 16 bytes from `item` to `callsite` also brings `bytes`. */
MPROF_STATIC_ASSERT(offsetof(struct mprof_last_call, bytes) ==
                        offsetof(struct mprof_last_call, callsite) + sizeof(uint64_t) &&
                    offsetof(struct call_marks, item_bytes) ==
                        offsetof(struct call_marks, item) + sizeof(uint64_t));

/* In a new recorder, also one that threads share: an item that nobody reads. */
void last_calls_none(struct recorder *recorder);

/* In place of that, in a recorder of one thread: a ring, if there is room for one. */
void last_calls_open(struct recorder *recorder);

static HOT void last_calls_add(struct recorder *recorder, const struct call *call,
                               const struct call_marks *marks)
{
    struct mprof_last_call *item = recorder->last_call;
    item->start_ticks = 0; /* empty while it is half new, half a lap old: kill -9 may come here */
    IN_ORDER();
    item->ticks = call->ticks;
    memcpy(&item->callsite, &marks->item, 2 * sizeof marks->item); /* in one go; then the peer */
    item->peer = call->peer;
    IN_ORDER();
    item->start_ticks = call->start_ticks;
    item++;
    if (__builtin_expect(item == recorder->last_calls_end, 0)) {
        item = recorder->last_calls;
        if (recorder->in_events)
            thread_state.cpu.deadline = 0; /* so that leave() looks around: the ring may grow */
        READ_ANEW(thread_state.cpu.deadline);
    }
    recorder->last_call = item; /* in one store: whoever leaves here has a place in the ring */
}

static HOT struct mprof_last_call *last_calls_before(const struct recorder *recorder,
                                                     struct mprof_last_call *item)
{
    return (item == recorder->last_calls ? recorder->last_calls_end : item) - 1;
}

/* After a timed poll that comes after a poll of the same path: their items become one, if they ask
 * the same of the same rank. */
static HOT void last_calls_join_polls(struct recorder *recorder)
{
    struct mprof_last_call *poll = last_calls_before(recorder, recorder->last_call);
    struct mprof_last_call *run = last_calls_before(recorder, poll);
    if (poll == run || run->communicator != poll->communicator || run->peer != poll->peer ||
        run->start_ticks == 0)
        return;
    run->bytes += run->bytes < UINT32_MAX;
    run->ticks = poll->start_ticks + poll->ticks - run->start_ticks;
    poll->start_ticks = 0;
    recorder->last_call = poll;
}

/* So many polls went without the clock since the last item, which is of the same path if `call` is
 * its thread_state.last_call. */
void last_calls_add_polls(struct recorder *recorder, uint64_t call, uint32_t polls);

#endif
