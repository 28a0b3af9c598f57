/* The file of a job (MPROF_FILES=job): a node file (mprof/format/format.h) with the finished files
 * of all ranks. Rank 0 writes it in MPI_Finalize, from what the others send (finalize/collect.h);
 * until then each node keeps the live records of its ranks (node_file.h).
 *
 * The file gets its name when it is whole. Called in MPI_Finalize, on one thread.
 */
#ifndef MPROF_JOB_FILE_H
#define MPROF_JOB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/identity.h"

/* Goes before each finished file. */
struct job_entry {
    uint64_t bytes;
    uint32_t rank;
    uint32_t reserved;
};

/* Does MPROF_FILES say so on this rank? That of rank 0 holds. */
bool job_file_is_wanted(void);

void job_file_begin(const struct identity *identity);

/* The next bytes of a stream of entries, each followed by its file. It may be cut anywhere. */
void job_file_add(const void *data, size_t bytes);

/* True: the file is there. False with errno set: something failed since the begin, and nothing is
 * left. ECANCELED: the stream is not whole; ENODATA: nobody gave anything, so nothing is missing.
 */
bool job_file_end(bool is_whole);

#endif
