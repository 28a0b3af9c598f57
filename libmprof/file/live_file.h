/* The file of this rank: where the record is while the program runs, its finished form, the file
 * that the ranks of a node share, and the file of single calls.
 *
 * The record is in the rank file itself in the profile folder or, with MPROF_LIVE, in a file
 * in a folder of the node (share/doc/understand/ends.md says why).
 *
 * When can the file of a killed job be read? From live_file_begin() on, at any moment: the memory
 * of the record is the file then, and the kernel writes it. A job killed before leaves no record.
 *
 * Called in MPI_Init and after MPI_Finalize, on one thread.
 */
#ifndef MPROF_LIVE_FILE_H
#define MPROF_LIVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/identity.h"
#include "mprof/format/format.h"

/* The arena becomes a file, or a part of one; with MPROF_LIVE the rank file's name in
 * the profile folder leads to it. False with errno set. The file may get another name than `path`
 * had. `knows_others`: all ranks have agreed on the run, so they may share files. */
bool live_file_begin(struct identity *identity, bool knows_others);

/* When the finished file is in the profile folder. */
void live_file_end(void);

/* When the file of the job holds it (profile_folder.h). */
void live_file_remove(const struct identity *identity);

/* In a child of fork() that gets a record of its own: the file is its parent's. */
void live_file_forget(void);

/* Makes the finished rank file at the end of the record. */

/* Where the finished file goes. False with errno set: then the live file holds. */
typedef bool put_finished(const char *path, const void *file, size_t bytes);

/* False with errno set: then the live file is still there, with the same content. Nothing may be
 * recorded meanwhile. */
bool finish_file(const char *path, put_finished *put);

/* In the live file's place: `path`, or the file of the node. */
bool finish_in_place(const char *path, const void *file, size_t bytes);

/* Each row of samples is bytes, and what a reader wants to know is functions and hot lines. */
enum { FINISHED_CPU_SAMPLE_ROWS = 64 };

/* Sorts the rows. Of more than `most` rows it adds those to the row of an address near by that have
 * the same segment, and then the rarest ones to a row of the segment without an address. Returns
 * how many rows there are then. All samples are still there. */
uint32_t fold_cpu_samples(struct mprof_cpu_sample *rows, uint32_t count, uint32_t most);

/* Compression of a finished rank file. Two back ends, chosen by CMake: compress_zstd.c and
 * compress_none.c. */

/* zstd frame of `data` in `target`, with mprof_dictionary before it; the number of bytes, or 0:
 * store it as it is. */
size_t compress(void *target, size_t capacity, const void *data, size_t bytes);

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

/* The file of a rank's single calls (MPROF_EVENTS, record/time/events.h): its name is that of the
 * rank file with `.events` behind it.
 *
 * It is mapped while the program runs, so the kernel keeps what a killed rank wrote. At the end it
 * is cut to what was used. Disk space is reserved piece by piece before it is written to, so a
 * full disk is no SIGBUS in the program, and a part of the disk is left to others. Without space
 * the rings stay as long as they are, and without the file the run goes on without events.
 *
 * Called in MPI_Init and after MPI_Finalize, on one thread; more space is reserved on any.
 */

/* Once the rank file is there; also when it got another name: then the events get it as well. */
void events_file_begin(const struct identity *identity);

void events_file_end(void);

/* In a child of fork() that gets a record of its own: the file is its parent's. */
void events_file_forget(void);

#endif
