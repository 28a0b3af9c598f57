/* Regions: the parts of the program that it names itself, by mprof.h or MPI_Pcontrol
 * (process/application.c).
 *
 * A region is a path: its name and the region around it. A thread's current region is one slot,
 * which tells all around it; every recorded call carries it. The table is the process's; threads
 * may be in the same region at once. Beginning and ending take a lock only when a path is new.
 */
#ifndef MPROF_REGIONS_H
#define MPROF_REGIONS_H

#include "record/state/recorder.h"

void region_begin(struct thread_state *thread, const char *name);
void region_end(struct thread_state *thread, const char *name);

/* Is this thread in a region of that name? */
bool region_is_open(const struct thread_state *thread, const char *name);

/* This thread's calls are not recorded; the time is billed to MPROF_REGION_SLOT_PAUSED. Pausing
 * twice is pausing once. */
void region_pause(struct thread_state *thread);
void region_resume(struct thread_state *thread);

/* What entries that lost this slot held; NULL: nobody keeps that. */
struct mprof_folded_sums *region_folded(uint32_t slot);

/* In a child with a record of its own (attach.c). */
void regions_forget(void);

#endif
