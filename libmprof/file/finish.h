/* Makes the finished rank file at the end of the record. */
#ifndef MPROF_FINISH_H
#define MPROF_FINISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mprof/format/format.h"

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

#endif
