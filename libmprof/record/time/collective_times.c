/* Which collectives' times are kept (collective_times.h). */
#include "record/time/collective_times.h"

#include <string.h>

#include "store/arena.h"

struct collective_counter collective_counter;

static struct mprof_collective_time *times; /* in the arena; NULL = none are kept */
static uint32_t kept;

void collective_times_open(void)
{
    uint32_t index;
    times =
        arena_allocate(MPROF_SECTION_COLLECTIVE_TIMES, 0,
                       MPROF_COLLECTIVE_TIMES_MOST * sizeof *times, sizeof *times, false, &index);
}

/* A reader of the live file may find one of them twice meanwhile. */
static void drop_half(void)
{
    uint32_t left = 0;
    collective_counter.dropped_bits = collective_counter.dropped_bits << 1 | 1;
    for (uint32_t i = 0; i < kept; i++)
        if ((times[i].number & collective_counter.dropped_bits) == 0)
            times[left++] = times[i];
    memset(&times[left], 0, (kept - left) * sizeof *times);
    kept = left;
}

void collective_time_keep(uint64_t number, const struct call *call)
{
    if (times == NULL)
        return;
    while (kept == MPROF_COLLECTIVE_TIMES_MOST)
        drop_half();
    if ((number & collective_counter.dropped_bits) != 0)
        return;
    struct mprof_collective_time *time = &times[kept++];
    time->start_ticks = call->start_ticks;
    time->ticks = call->ticks;
    time->number = number;
    __atomic_store_n(&time->in_use, 1, __ATOMIC_RELEASE);
}

void collective_times_thin(uint32_t most)
{
    while (times != NULL && kept > most)
        drop_half();
}

void collective_times_forget(void)
{
    times = NULL;
    kept = 0;
    memset(&collective_counter, 0, sizeof collective_counter);
}
