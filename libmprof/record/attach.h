/* The record of the process, from its first MPI call on, and a recorder for each thread.
 *
 * call_begin_slowly() (call.h) is the way in: the first call of the process reads the options and
 * opens the record in anonymous memory, the first call of a thread gets its recorder.
 * process/life.c goes on from there: MPI_Init makes the record a file, MPI_Finalize ends it.
 * Any thread; what changes the record holds record_lock.
 */
#ifndef MPROF_ATTACH_H
#define MPROF_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "base/locks/lock.h"
#include "mprof/format/format.h"

extern HIDDEN struct lock record_lock;

extern HIDDEN struct record {
    bool opened;  /* the first call was seen */
    bool stopped; /* nothing is recorded any more, or never was */
    bool failed;  /* there was no memory for it */
    bool forked;  /* this is a child, and all here is its parent's */
    bool begun;   /* time 0 is set, by MPI_Init or a session */
    struct mprof_run *run;
    struct mprof_clock *clock;
    uint64_t watch_ticks; /* that watchers took (wrap/watch.h) and that are not in run->own_ns yet
                           */
} record;

/* Called when a child of fork() gets a record of its own: forgets what else is the parent's. Set
 * before main().
 */
extern HIDDEN void (*record_begins_anew)(void);

/* Called when the MPI ends the process in the middle of a call, with this status; set likewise. */
extern HIDDEN void (*record_ends_in_call)(int status);

/* Time 0 of the rank is now, unless MPI has begun before. */
void record_begin_time(void);

/* The first MPI call in a child that was made without the handlers of fork() (clone, _Fork): called
 * between the beginning and the start of that call, which goes to the child's own record. */
void call_after_hidden_fork(void);

/* At the end of a call, when samples_due(): the next sample, billed to libmprof. */
void record_sample(uint64_t now_ticks);

#endif
