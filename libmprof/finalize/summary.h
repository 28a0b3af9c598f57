/* What the first rank prints in MPI_Finalize, added up over the tree of ranks. */
#ifndef MPROF_SUMMARY_H
#define MPROF_SUMMARY_H

#include <stdbool.h>

#include "file/identity.h"
#include "mprof/format/format.h"

/* By all ranks, but nobody waits for ever: when the others do not answer, the first says so. True
 * on a rank that has heard of all below it in the tree. `finalize_ticks`: how long MPI_Finalize has
 * waited for them. */
bool summary_print(const struct identity *identity, const struct mprof_run *run,
                   const struct mprof_clock *clock, bool has_file, bool all_are_here,
                   uint64_t finalize_ticks);

#endif
