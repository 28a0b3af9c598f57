/* Are all ranks in MPI_Finalize? What libmprof does there with the others it may begin only then,
 * and it waits for none of them without a limit, because one may be killed at any moment.
 *
 * Called on the thread of MPI_Init and MPI_Finalize, by all ranks. Whoever waits longer than
 * MPROF_PATIENCE goes on into the MPI's own MPI_Finalize with nothing pending, so that libmprof
 * cannot keep a job that would end without it. */
#ifndef MPROF_ARRIVAL_H
#define MPROF_ARRIVAL_H

#include <stdbool.h>

#include "identity.h"

/* In MPI_Init. False: then libmprof asks nothing of the others. */
bool arrival_open(const struct identity *identity);

/* In MPI_Finalize: waits for all other ranks, as MPI_Finalize itself would. False, on all ranks
 * that have come or will come, when one of them waited too long. */
bool arrival_wait(void);

/* When all have come, and all that libmprof asked of them has ended. */
void arrival_close(void);

/* After arrival_wait: until what mpi_services was asked to start has ended. False = it was not
 * `started`, or the other rank has not done its part within 10 s (or MPROF_PATIENCE): it is still
 * pending, its buffers may not be used for anything else, and nothing more may be started. */
bool arrival_wait_for_step(bool started);

#endif
