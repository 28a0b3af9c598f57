/* Where the record lies while the program runs: in the profile folder, as the rank file itself, or,
 * with MPROF_LIVE, in a folder of the node (share/doc/ends.md says what for).
 *
 * Called in MPI_Init and after MPI_Finalize, on one thread. */
#ifndef MPROF_LIVE_FILE_H
#define MPROF_LIVE_FILE_H

#include <stdbool.h>

#include "identity.h"

/* The arena becomes a file; with MPROF_LIVE the rank file's name in the profile folder leads to it.
 * False with errno set. The file may get another name than `path` had. */
bool live_file_begin(struct identity *identity);

/* When the finished file is in the profile folder. */
void live_file_end(void);

#endif
