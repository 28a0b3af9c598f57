/* By which calls the computing between two MPI calls is reached (mprof_sample_path): a thread's
 * table of sampled call paths, and the ring that they come from.
 *
 * About every fourth of the samples of cpu_samples.h has a twin with a copy of the stack.
 * cpu_samples.c has these taken out along with its own, inside an MPI call and on the thread whose
 * stack it was, so the stacks are walked (copied_stack.h) where the program is not in the loader or
 * in malloc(). Samples of MPI are not walked. The walks of a thread take at most 0.5 % of its time;
 * what that leaves out is no loss of samples, for shares are of the paths that are known.
 *
 * The table is made when the first path is there. Neither stack nor table are a reason for anything
 * to fail: without them there are no paths.
 */
#ifndef MPROF_SAMPLE_PATHS_H
#define MPROF_SAMPLE_PATHS_H

#include <stdint.h>

#include "record/cpu/cpu_samples.h"

/* Rows of a thread's table, and of the finished file: those with most samples. */
enum { SAMPLE_PATH_ROWS = 128, FINISHED_SAMPLE_PATH_ROWS = 64 };

/* On each thread with samples in this period, and when it ends. */
void sample_paths_attach(uint64_t period_ns);
void sample_paths_leave(void);

void sample_paths_take(struct recorder *recorder, enum cpu_samples_of of,
                       const struct segment_key *key);

/* Counts a path: `path` is of one sample. In a full table it is left out. */
void sample_paths_count(struct mprof_sample_path *rows, const struct mprof_sample_path *path);

#endif
