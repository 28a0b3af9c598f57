/* What a message costs between two ranks that do nothing else: measured in MPI_Finalize. */
#ifndef MPROF_BASELINE_H
#define MPROF_BASELINE_H

#include <stdbool.h>

#include "identity.h"

/* In MPI_Init, by all ranks: rank 0 and rank 1, and rank 0 and the last rank, get a communicator of
 * their own; the others return at once. */
void baseline_open(const struct identity *identity);

/* In MPI_Finalize, by all ranks when all are there: ping-pong of a few sizes between these pairs, a
 * few milliseconds at most. Rank 0 notes what it measured (MPROF_SECTION_BASELINE). False = the
 * other one of a pair did not answer: it has died meanwhile, and a message to it is pending. */
bool baseline_measure(const struct identity *identity);

#endif
