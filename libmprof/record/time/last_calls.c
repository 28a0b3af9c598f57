/* The ring of a thread's last calls (last_calls.h), but for what every call does. */
#include "record/time/last_calls.h"

#include "store/arena.h"

void last_calls_none(struct recorder *recorder)
{
    recorder->last_calls = recorder->last_call = &recorder->no_last_calls;
    recorder->last_calls_end = recorder->last_calls + 1;
}

void last_calls_open(struct recorder *recorder)
{
    uint32_t index;
    struct mprof_last_call *ring =
        arena_allocate(MPROF_SECTION_LAST_CALLS, recorder->number, LAST_CALLS * sizeof *ring,
                       sizeof *ring, false, &index);
    if (ring == NULL)
        return;
    recorder->last_calls = recorder->last_call = ring;
    recorder->last_calls_end = ring + LAST_CALLS;
    recorder->live->last_calls_section = index;
}

void last_calls_add_polls(struct recorder *recorder, uint64_t call, uint32_t polls)
{
    struct mprof_last_call *run = last_calls_before(recorder, recorder->last_call);
    if (run->callsite == (uint32_t)call && run->function == (uint16_t)(call >> 32) &&
        run->bytes < UINT32_MAX - polls)
        run->bytes += polls;
}
