/* Where the program computes before MPI_Init, by samples with a stack (cpu_ring.h).
 *
 * A rank that comes late to MPI_Init makes all others wait there, and what it did meanwhile is in
 * no record, for that begins with MPI_Init. So a process that is a rank, as its launcher says, has
 * samples of its first thread from its beginning on. They stay in rings of the kernel until
 * MPI_Init takes them: a fast ring with one each tenth of a second, which is full after twelve
 * seconds, or after three where the user may have less of such memory; and a slow one with one each
 * two seconds, which is taken instead then. A row of the table (mprof_sample_path) counts tenths of
 * a second. Fewer than three samples are not kept: to load libraries takes as long.
 *
 * Not where ranks take turns on the CPUs (cpu_samples.h). On the process's first thread, and on
 * that of MPI_Init.
 */
#ifndef MPROF_EARLY_SAMPLES_H
#define MPROF_EARLY_SAMPLES_H

#include "record/state/recorder.h"

/* When the process begins. */
void early_samples_begin(void);

/* In MPI_Init, before the MPI's own. NULL: there is no record. */
void early_samples_end(struct recorder *recorder);

#endif
