/* The record of the process, from its first MPI call on, and a recorder for each thread.
 *
 * record_attach() is the way in, from a thread's first call (call.c): that of the process reads the
 * options and opens the record in anonymous memory, the first call of a thread gets its recorder.
 * process/life.c goes on from there: MPI_Init makes the record a file, MPI_Finalize ends it.
 * Any thread; what changes the record holds record_lock.
 */
#ifndef MPROF_ATTACH_H
#define MPROF_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "mprof/format/format.h"
#include "record/state/record.h"
#include "record/state/recorder.h"

/* Called when a child of fork() gets a record of its own: forgets what else is the parent's. Set
 * before main().
 */
extern HIDDEN void (*record_begins_anew)(void);

/* Time 0 of the rank is now, unless MPI has begun before. */
void record_begin_time(void);

/* This thread called MPI before time 0: what it computed until then is not of the run. */
void record_forget_computing(void);

/* The first MPI call of the process, or of a thread: opens the record if nobody has, and gives the
 * thread its recorder; `at_thread_end` as recorder_attach() has it. NULL = nothing is recorded. */
struct recorder *record_attach(void (*at_thread_end)(void *recorder));

/* Does this function begin MPI? */
bool record_begins_with(uint16_t function);

/* In a child, may a call of this function begin a record of its own? */
bool record_may_begin_anew(uint16_t function);

/* In a child, on its only thread: nothing reaches the parent's record from here on. */
void record_stop_in_child(void);

/* There is no memory for the record: says so. */
void record_go_without(void);

/* At the end of a call, when samples_due(): the next sample, billed to libmprof. */
void record_sample(uint64_t now_ticks);

/* ---- the recorders of threads ---------------------------------------------------------------- */

/* The recorders of threads: made, handed out, taken back, held while the record moves.
 *
 * calls/attach.c asks for one at a thread's first call; process/life.c holds all. Any thread; what
 * changes the pool has its lock.
 */

/* The recorder of this thread: made, taken over from a thread that ended, or the shared one. NULL =
 * nothing can be recorded. Called once per thread. `at_thread_end`, always the same one, is for
 * pthread_key_create() and ends with recorder_give_back(). */
struct recorder *recorder_attach(void (*at_thread_end)(void *recorder));

/* This thread ends. */
void recorder_give_back(void *recorder_of_ended_thread);

/* While the record moves. Threads that have a recorder are stopped at the beginning of their next
 * call, those that would get one before it, and those inside a call of the program are waited for.
 * A thread that stays inside MPI is not, for long: what it records then may be lost. */
void recorders_hold(void);
void recorders_release(void);

/* In a child with a record of its own (attach.c). */
void threads_forget(void);

#endif
