/* A poll while it runs (time/polls.h says what polls are): in place of call_start(), call_stop()
 * and call_end() (call.h), on the calling thread.
 */
#ifndef MPROF_POLL_CALLS_H
#define MPROF_POLL_CALLS_H

#include "record/calls/call.h"
#include "record/time/polls.h"

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
