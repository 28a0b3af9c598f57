/* Are all ranks in MPI_Finalize? What libmprof does there with the others it may begin only then,
 * and it waits for none of them without a limit, because one may be killed at any moment.
 *
 * Called on the thread of MPI_Finalize, by all ranks. Whoever waits longer than MPROF_PATIENCE goes
 * on into the MPI's own MPI_Finalize, so that libmprof cannot keep a job that would end without it.
 */
#ifndef MPROF_ARRIVAL_H
#define MPROF_ARRIVAL_H

#include <stdbool.h>

/* Waits for all other ranks, as MPI_Finalize itself would. False when one of them waited too long,
 * on all ranks that have not heard before that all are there; then nobody may be asked anything.
 * One that has died after it came is not noticed here: who asks it something has a limit, too. */
bool arrival_wait(void);

/* When this rank is through with everything: waits until all are, and all leave at the same time.
 * False = somebody did not answer in time. */
bool arrival_leave(bool all_answered);

#endif
