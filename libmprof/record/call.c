/* The end of every recorded MPI call (call.h): the hot path in one piece.
 *
 * A call of a line that was made before, with the size and from the place as before, costs no hash:
 * its path remembers where its entry and its segment are. Everything else is elsewhere, out of
 * line.
 */
#include "call.h"

#include "life.h"
#include "samples.h"
#include "tables.h"

static inline void end_entry(struct call *call)
{
    struct recorder *recorder = call->recorder;
    struct entry_key key = call_key(call);
    struct mprof_entry *entry = entry_near(recorder, &key, call->path->last_entry);
    if (__builtin_expect(entry != NULL && !recorder->shared, 1))
        entry_add(entry, call->size, call->ticks);
    else
        record_call(recorder, &key, call->ticks, &call->path->last_entry);
}

/* The computing before this call, which began when the last one ended. */
static inline void end_segment(const struct call *call)
{
    struct thread_state *thread = &thread_state;
    struct recorder *recorder = call->recorder;
    uint32_t function = call->function + 1u;
    if (__builtin_expect(thread->last_stop_ticks != 0, 1)) {
        struct segment_key key = make_segment_key(thread->last_callsite, thread->last_function,
                                                  call->path->callsite, function);
        uint64_t ticks = call->start_ticks - thread->last_stop_ticks;
        struct mprof_segment *segment = segment_near(recorder, &key, call->path->last_segment);
        if (__builtin_expect(segment != NULL && !recorder->shared && !counters_on, 1)) {
            segment->count++;
            segment->ticks += ticks;
        } else {
            const uint64_t *growth = counters_on ? counters_segment_growth() : NULL;
            record_segment(recorder, &key, ticks, growth, &call->path->last_segment);
        }
    }
    thread->last_callsite = call->path->callsite;
    thread->last_function = function;
    thread->last_stop_ticks = call->start_ticks + call->ticks;
}

void call_end(struct call *call)
{
    end_entry(call);
    end_segment(call);
    thread_state.mpi_ticks += call->ticks;
    if (__builtin_expect(samples_due(thread_state.last_stop_ticks), 0)) {
        life_sample(thread_state.last_stop_ticks);
        thread_state.last_stop_ticks = clock_ticks(); /* that was not computing */
    }
    thread_state.depth = 0;
}
