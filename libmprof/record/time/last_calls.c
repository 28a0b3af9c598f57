/* The ring of a thread's last calls (last_calls.h), but for what every call does. */
#include "record/time/last_calls.h"

#include "store/arena.h"

void last_calls_open(struct recorder *recorder)
{
    uint32_t index;
    struct mprof_last_call *ring =
        arena_allocate(MPROF_SECTION_LAST_CALLS, recorder->number, LAST_CALLS * sizeof *ring,
                       sizeof *ring, false, &index);
    recorder->last_calls = ring != NULL ? ring : &recorder->no_last_calls;
    recorder->last_calls_end = recorder->last_calls + (ring != NULL ? LAST_CALLS : 1);
    recorder->last_call = recorder->last_calls;
    if (ring != NULL)
        recorder->live->last_calls_section = index;
}

static struct mprof_last_call *before(const struct recorder *recorder, struct mprof_last_call *item)
{
    return (item == recorder->last_calls ? recorder->last_calls_end : item) - 1;
}

static bool is_same_poll(const struct mprof_last_call *item, const struct mprof_last_call *other)
{
    return item->start_ticks != 0 && item->callsite == other->callsite &&
           item->function == other->function && item->communicator == other->communicator &&
           item->peer == other->peer;
}

void last_calls_join_polls(struct recorder *recorder)
{
    struct mprof_last_call *poll = before(recorder, recorder->last_call);
    struct mprof_last_call *run = before(recorder, poll);
    poll->bytes = 1;
    if (poll == run || !is_same_poll(run, poll))
        return;
    run->bytes += run->bytes < UINT32_MAX;
    run->ticks = poll->start_ticks + poll->ticks - run->start_ticks;
    poll->start_ticks = 0;
    recorder->last_call = poll;
}

void last_calls_add_polls(struct recorder *recorder, uint64_t call, uint32_t polls)
{
    struct mprof_last_call *run = before(recorder, recorder->last_call);
    if (run->callsite == (uint32_t)call && run->function == (uint16_t)(call >> 32) &&
        run->bytes < UINT32_MAX - polls)
        run->bytes += polls;
}
