/* The folder where the files of a run go.
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

#include "identity.h"

/* What the batch system calls the job; NULL = there is none. */
const char *job_id(void);

/* The following fill in `folder`, `path` and what is said of each. */

/* Of rank 0 for all: a folder without files. Makes the rank's file, empty (`claimed`). */
bool profile_folder_take(struct identity *identity);

/* Of rank 0 of a spawned world: the folder where its parents are running. Fills in `run_id` and
 * `world`, too, and makes the rank's file. False if there is none. */
bool profile_folder_join_parents(struct identity *identity);

/* Of each rank for itself, when nobody can be asked: a folder without files of other runs than
 * `run_id`, which all ranks know. `key` is that run's name. */
bool profile_folder_share(struct identity *identity, const char *key);

/* Of the other ranks: they may be on a node that does not share rank 0's file system. */
void profile_folder_reach(struct identity *identity);

/* The rank's file has another file's name: takes one that the run alone can have. */
void profile_folder_rename(struct identity *identity);

#endif
