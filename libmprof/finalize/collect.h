/* The finished files of all ranks go to rank 0, which writes them into one (file/job_file.h).
 *
 * Called in MPI_Finalize, by all ranks, when all are known to be there (arrival.h).
 */
#ifndef MPROF_COLLECT_H
#define MPROF_COLLECT_H

#include <stdbool.h>
#include <stddef.h>

#include "file/identity.h"

/* `file`: of this rank; with no bytes it gives nothing, and helps the others. `*is_held`: the file
 * of the job is there, with what this rank gave; if not, errno tells rank 0 why. False when
 * somebody did not answer in time: then nobody may be asked anything more. */
bool collect_files(const struct identity *identity, const void *file, size_t bytes, bool *is_held);

#endif
