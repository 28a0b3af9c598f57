/* The end of a poll (poll_calls.h). */
#include "record/calls/poll_calls.h"

#include "record/time/last_calls.h"

/* Between the same calls as the last poll of its path. */
static void end_and_learn(struct call *call)
{
    const uint64_t gap = call->start_ticks - thread_state.last_stop_ticks;
    call_end(call);
    if (call->path->hot)
        polls_end_hot(call, gap);
    else
        polls_learn(call, gap);
}

void poll_end_timed(struct call *call)
{
    const struct thread_state *thread = &thread_state;
    struct path *path = call->path;
    const bool is_cycle = path->last_before == thread->last_call; /* timed, too, the usual one */
    const bool is_repeated = (thread->last_call & ~LAST_CALL_UNTIMED) == path->marks.call;
    if (!is_cycle)
        path->after_poll = polls_is_after_poll();
    if (__builtin_expect(!path->after_poll || thread->polls_ended, 0))
        polls_show_begin(call);
    if (is_cycle && polls_hot_ticks != 0)
        end_and_learn(call);
    else
        call_end(call);
    if (is_repeated)
        last_calls_join_polls(call->recorder);
}
