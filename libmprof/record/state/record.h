/* The record of the process: where it is, and what it lost.
 *
 * What the whole process lost for lack of space, and what libmprof itself took of its time, is in
 * mprof_run; what a thread lost is in its mprof_thread. Any thread may count; what changes the
 * record otherwise holds record_lock (calls/attach.c). Nothing here is on the hot path.
 */
#ifndef MPROF_RECORD_H
#define MPROF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "base/lock.h"
#include "mprof/format/format.h"

/* Never NULL: before the record is opened, and where there is none, nobody reads it. */
extern struct mprof_run *losses;

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written */
static inline void count_loss(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

extern HIDDEN struct lock record_lock;

extern HIDDEN struct record {
    bool opened;  /* the first call was seen */
    bool stopped; /* nothing is recorded any longer, or never was */
    bool failed;  /* there was no memory for it */
    bool forked;  /* this is a child, and all here is its parent's */
    bool begun;   /* time 0 is set, by MPI_Init or a session */
    struct mprof_run *run;
    struct mprof_clock *clock;
    uint64_t watch_ticks; /* that watchers took (wrap/watch.h) and that are not in run->own_ns yet
                           */
} record;

/* In a child with a record of its own (attach.c). */
void losses_forget(void);

#endif
