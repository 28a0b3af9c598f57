/* The file that the ranks of a node share (MPROF_FILES=node; struct mprof_node_header in
 * mprof/format/format.h).
 *
 * Ranks say nothing to each other: the file's name tells the node, and its header, which all of
 * them map, tells how many have come and how many have ended. Each rank has a part, where its
 * record lives and where it writes its finished file. The last rank that ends copies the finished
 * files into a new file, which takes the place of the old one. If a rank is killed, nobody is the
 * last: the file stays as it is, and can be read.
 *
 * A rank that finds no place in the file keeps a file of its own, and so does one that comes when
 * the others have all ended.
 *
 * Called in MPI_Init and after MPI_Finalize, on one thread.
 */
#ifndef MPROF_NODE_FILE_H
#define MPROF_NODE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "file/identity.h"

/* Does MPROF_FILES say that the ranks of this run share files? */
bool node_file_is_wanted(const struct identity *identity);

/* The file's name in a profile folder. */
void node_file_name(const struct identity *identity, char *name, size_t capacity);

/* The arena moves into a part of the file `live`. The finished file will be at `path`, which is the
 * same one, or a link to it. `*is_first`: this rank has the first part. False with errno set.
 * EEXIST: the file is another run's, or it is finished. */
bool node_file_begin(const struct identity *identity, const char *live, const char *path,
                     bool *is_first);

/* Does this rank have a part? */
bool node_file_is_used(void);

/* Writes the rank's finished file into its part. False with errno set: then the live record holds.
 */
bool node_file_finish(const void *data, size_t bytes);

/* What the rank leaves is elsewhere: in a file of its own, or in that of the job. */
void node_file_give_up(void);

/* Has this rank, as the last one, put the finished file in its place, or removed a file that nobody
 * needs? */
bool node_file_is_gone(void);

/* In a child of fork() that gets a record of its own. */
void node_file_forget(void);

#endif
