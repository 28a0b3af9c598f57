/* Where the record lies while the program runs. It is the rank file itself in the profile folder
 * or, with MPROF_LIVE, a file in a folder of the node (share/doc/ends.md says why).
 *
 * When can the file of a killed job be read? From live_file_begin() on, at any moment: the memory
 * of the record is the file then, and the kernel writes it. A job killed before leaves no record.
 *
 * Called in MPI_Init and after MPI_Finalize, on one thread. */
#ifndef MPROF_LIVE_FILE_H
#define MPROF_LIVE_FILE_H

#include <stdbool.h>

#include "file/identity.h"

/* The arena becomes a file, or a part of one (node_file.h); with MPROF_LIVE the rank file's name in
 * the profile folder leads to it. False with errno set. The file may get another name than `path`
 * had. `knows_others`: all ranks have agreed on the run, so they may share files. */
bool live_file_begin(struct identity *identity, bool knows_others);

/* When the finished file is in the profile folder. */
void live_file_end(void);

/* When the file of the job holds it (job_file.h). */
void live_file_remove(const struct identity *identity);

/* In a child of fork() that gets a record of its own: the file is its parent's. */
void live_file_forget(void);

#endif
