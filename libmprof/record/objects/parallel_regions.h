/* The parallel regions of OpenMP: how long, with how many threads, and how busy these were
 * (mprof_parallel_region).
 *
 * interpose/gomp.c calls this from inside the program's OpenMP library. One
 * region is open at a time: an outermost one of the thread that called MPI_Init. All others get
 * number 0 and pass. A member is a thread of the open region. Each keeps its own sums while it
 * runs, and shows them in its own cache line before it arrives at the region's last barrier. The
 * thread of MPI_Init adds them up behind that barrier. So there is no lock and no atomic
 * instruction. Nothing here allocates with the program's malloc or changes errno.
 */
#ifndef MPROF_PARALLEL_REGIONS_H
#define MPROF_PARALLEL_REGIONS_H

#include <stdint.h>

#include "mprof/format/format.h"

/* Members beyond this are not asked how busy they were: they count as idle. */
enum { PARALLEL_MEMBERS = 512 };

/* In MPI_Init: regions of this thread count from now on. */
void parallel_open(void);

/* Another tool has the interface to OpenMP: parallel regions are not seen. From any thread. */
void parallel_left_to_other_tool(void);

/* Before the threads of a region start. `place` is a return address in the function with the
 * region. Returns the region's number, 0 = it does not count. */
uint64_t parallel_begin(const void *place, enum mprof_parallel_source source);
/* After all its threads have arrived at its last barrier. */
void parallel_end(uint64_t number);

/* On each thread of a region that counts: the `member`-th of a team of `threads`. */
void parallel_member_begin(uint64_t number, uint32_t member, uint32_t threads);
void parallel_member_end(void);

/* Is this thread in a region that counts? Its number, or 0. */
uint64_t parallel_of_thread(void);

/* Around a wait at a barrier or for a lock, of a member. What it did so far is shown then. */
void parallel_wait_begin(void);
void parallel_wait_end(void);

/* Around an explicit task on a thread of OMPT, which may run while its member waits. */
void parallel_task_begin(void);
void parallel_task_end(void);

/* A member makes explicit tasks, and nobody says when they run: how busy the threads of this region
 * are is not known. */
void parallel_note_unseen_tasks(void);

/* A library was unloaded: places may come to mean something else. From any thread. */
void parallel_forget_places(void);

/* In a child with a record of its own (attach.c). */
void parallel_forget(void);

#endif
