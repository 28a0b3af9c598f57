/* What a message costs between two ranks that do nothing else: measured in MPI_Finalize. */
#ifndef MPROF_BASELINE_H
#define MPROF_BASELINE_H

#include <stdbool.h>

/* In MPI_Finalize, by all ranks when all are there: ping-pong of a few sizes between the first
 * rank and two of its children in the tree of ranks, a few milliseconds at most on a quiet machine;
 * the others return at once. The first notes what it measured (MPROF_SECTION_BASELINE). False = the
 * other one did not answer: it has died meanwhile, and a message to it is pending. */
bool baseline_measure(void);

#endif
