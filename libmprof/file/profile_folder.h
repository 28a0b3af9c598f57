/* The folder where the files of a run go, and the one file of a job in it.
 *
 * A run never takes a folder that has files of another run: it takes the next free name, with -2,
 * -3 and so on. The first file in a folder decides whose it is: it is made with O_EXCL, under the
 * same name by every run (profile_folder.c).
 *
 * On one thread, in MPI_Init. False with errno set.
 */
#ifndef MPROF_PROFILE_FOLDER_H
#define MPROF_PROFILE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/identity.h"

/* The following fill in `folder`, `path` and what the comment of each says. */

/* By rank 0 for all ranks: a folder without files of other runs. Makes the rank's file, empty
 * (`claimed`). */
bool profile_folder_take(struct identity *identity);

/* By rank 0 of a spawned world: the folder where its parents are running. Also fills in `run_id`
 * and `world`, and makes the rank's file. False if there is none. */
bool profile_folder_join_parents(struct identity *identity);

/* By each rank for itself, when it can ask no other rank: a folder without files of runs other than
 * `run_id`, which all ranks know. `key` is that run's name. */
bool profile_folder_share(struct identity *identity, const char *key);

/* By the other ranks, which may be on a node that does not share rank 0's file system. */
void profile_folder_reach(struct identity *identity);

/* The name of the rank's file is taken: gives it a name that only this run can have. */
void profile_folder_rename(struct identity *identity);

/* The file of a job (MPROF_FILES=job): a node file (mprof/format/format.h) with the finished files
 * of all ranks. Rank 0 writes it in MPI_Finalize, from what the others send (finalize/finalize.h);
 * until then each node keeps the live records of its ranks (live_file.h).
 *
 * The file gets its name when it is whole. Called in MPI_Finalize, on one thread.
 */

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

/* True: the file is there. False with errno set: something has failed since the start, and no file
 * is left. ECANCELED: the stream is not whole; ENODATA: nobody gave anything, so none is lost. */
bool job_file_end(bool is_whole);

#endif
