/* When some collectives on MPI_COMM_WORLD began and ended in which all ranks wait for each other
 * (mprof_collective_time). They end at nearly the same moment on all ranks, so the parser can
 * compare the clocks of nodes by them.
 *
 * Every such collective is counted. The first ones are all kept; whenever the room is full, every
 * other one is dropped, and only multiples of twice the distance are kept from there on. So what is
 * kept follows from the count alone, and all ranks keep the same ones. A call that is no such
 * collective does not come here.
 *
 * Called by the wrappers, on the thread that makes the call; MPI forbids two collectives on one
 * communicator at the same time.
 */
#ifndef MPROF_COLLECTIVE_TIMES_H
#define MPROF_COLLECTIVE_TIMES_H

#include <stdint.h>

#include "base/hot.h"
#include "record/objects/communicators.h"
#include "record/paths/path_cache.h"
#include "record/state/running_call.h"

/* In the finished file fewer: they correct an offset and a rate. */
enum { COLLECTIVE_TIMES_FINISHED = 16 };

/* How many there were, and which are kept: those whose number has none of these bits. */
struct collective_counter {
    uint64_t count;
    uint64_t dropped_bits;
};
extern HIDDEN struct collective_counter collective_counter;

/* With the arena open; without room nothing is kept. */
void collective_times_open(void);

/* Keeps the collective of this number. */
void collective_time_keep(uint64_t number, const struct call *call);

/* For the finished file. */
void collective_times_thin(uint32_t most);

/* After a blocking collective in which all wait for all. */
static HOT void collective_time_note(const struct call *call)
{
    if (call->comm != comm_of_world)
        return;
    uint64_t number = collective_counter.count++;
    if (__builtin_expect((number & collective_counter.dropped_bits) == 0, 0))
        collective_time_keep(number, call);
}

/* In a child with a record of its own (attach.c). */
void collective_times_forget(void);

#endif
