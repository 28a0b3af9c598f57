/* Fewer rows of samples for the finished file: each row is bytes, and what a reader wants to know
 * is functions and hot lines. */
#ifndef MPROF_FOLD_SAMPLES_H
#define MPROF_FOLD_SAMPLES_H

#include <stdint.h>

#include "mprof/format/format.h"

enum { FINISHED_CPU_SAMPLE_ROWS = 64 };

/* Sorts the rows. Of more than `most` rows it adds those to the row of an address near by that have
 * the same segment, and then the rarest ones to a row of the segment without an address. Returns
 * how many rows there are then. All samples are still there. */
uint32_t fold_cpu_samples(struct mprof_cpu_sample *rows, uint32_t count, uint32_t most);

#endif
