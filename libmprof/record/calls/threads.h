/* The recorders of threads: made, handed out, taken back, held while the record moves.
 *
 * calls/attach.c asks for one at a thread's first call; process/life.c holds all. Any thread; what
 * changes the pool has its lock.
 */
#ifndef MPROF_THREADS_H
#define MPROF_THREADS_H

#include "record/state/recorder.h"

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
