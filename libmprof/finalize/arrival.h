/* Are all ranks in MPI_Finalize? Only then may libmprof talk with the other ranks. Each wait has a
 * limit, because a rank may be killed at any moment.
 *
 * Called on the thread of MPI_Finalize, by all ranks. A rank that waits longer than MPROF_PATIENCE
 * goes on into the MPI's own MPI_Finalize, so that libmprof never holds up a job that would end
 * without it.
 */
#ifndef MPROF_ARRIVAL_H
#define MPROF_ARRIVAL_H

#include <stdbool.h>

/* Waits for all other ranks, as MPI_Finalize itself would. `is_with_first`: this rank is on the
 * node of the first. False when one of them waited too long, or has died, on all ranks that had not
 * yet heard that all are there. Then no rank may be asked anything. A rank that died after its
 * arrival is not noticed here. Asking it has a limit, too. */
bool arrival_wait(bool is_with_first);

/* Is it known that all ranks are on one node? */
bool arrival_is_on_one_node(void);

/* When this rank is through with everything: waits until all are, and all leave at the same time.
 * False = somebody did not answer in time. */
bool arrival_leave(bool all_answered);

/* Replaces both on a rank without a record: the others do not wait for it. */
void arrival_refuse(void);

/* By this rank or another one. */
bool arrival_was_refused(void);

/* The last step before the MPI's own MPI_Finalize: a short pause, where MPI_Finalize may hang
 * without it. */
void arrival_settle(void);

#endif
