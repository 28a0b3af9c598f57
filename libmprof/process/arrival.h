/* Are all ranks in MPI_Finalize? What libmprof does there with the others it may begin only then.
 *
 * Called on the thread of MPI_Init and MPI_Finalize, by all ranks. Whoever waits longer than
 * MPROF_PATIENCE goes on into the MPI's own MPI_Finalize with nothing pending, so that libmprof
 * cannot keep a job that would end without it. */
#ifndef MPROF_ARRIVAL_H
#define MPROF_ARRIVAL_H

#include <stdbool.h>

#include "identity.h"

/* In MPI_Init. */
void arrival_open(const struct identity *identity);

/* In MPI_Finalize: waits for all other ranks, as MPI_Finalize itself would. False, on all ranks
 * that have come or will come, when one of them waited too long. */
bool arrival_wait(void);

#endif
