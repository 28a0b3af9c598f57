/* Was this program started by a rank of another run that is being recorded?
 *
 * Asked in MPI_Init by rank 0; allocates nothing. A rank of another node is not found. */
#ifndef MPROF_OUTER_RUN_H
#define MPROF_OUTER_RUN_H

#include <stdbool.h>

bool is_inside_outer_run(void);

#endif
