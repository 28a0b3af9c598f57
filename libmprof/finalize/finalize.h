/* What all ranks do together in MPI_Finalize: wait for each other, measure what a message costs,
 * give their files to the first, print the summary. Each is a file of this folder.
 *
 * Are all ranks in MPI_Finalize? Only then may libmprof talk with the other ranks. Each wait has a
 * limit, because a rank may be killed at any moment.
 *
 * Called on the thread of MPI_Finalize, by all ranks. A rank that waits longer than MPROF_PATIENCE
 * goes on into the MPI's own MPI_Finalize, so that libmprof never holds up a job that would end
 * without it.
 */
#ifndef MPROF_FINALIZE_H
#define MPROF_FINALIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "file/identity.h"
#include "mprof/format/format.h"

/* Waits for all other ranks, as MPI_Finalize itself would. `is_with_first`: this rank is on the
 * node of the first. False when one of them waited too long, or has died, on all ranks that had not
 * yet heard that all are there. Then no rank may be asked anything. A rank that died after its
 * arrival is not noticed here. Asking it has a limit as well. */
bool arrival_wait(bool is_with_first);

/* Is it known that all ranks are on one node? */
bool arrival_is_on_one_node(void);

/* When this rank is through with everything: waits until all are, and all leave at the same time.
 * False = somebody did not answer in time. */
bool arrival_leave(bool all_answered);

/* Replaces both on a rank without a record: the others do not wait for it. */
void arrival_refuse(void);

/* By this rank or another one. */
bool arrival_was_refused(void);

/* The last step before the MPI's own MPI_Finalize: a short pause, where MPI_Finalize may hang
 * without it. */
void arrival_settle(void);

/* What a message costs between two ranks that do nothing else: measured in MPI_Finalize. */

/* In MPI_Finalize, by all ranks when all are there: ping-pong of a few sizes between the first
 * rank and two of its children in the tree of ranks, a few milliseconds at most on a quiet machine;
 * the others return at once. The first notes what it measured (MPROF_SECTION_BASELINE). False = the
 * other one did not answer: it has died meanwhile, and a message to it is pending. */
bool baseline_measure(void);

/* The finished files of all ranks go to rank 0, which writes them into one (file/profile_folder.h).
 *
 * Called in MPI_Finalize, by all ranks, when all are known to be there.
 */

/* `file`: of this rank; with no bytes it gives nothing, and helps the others. `*is_held`: the file
 * of the job is there, with what this rank gave; if not, errno tells rank 0 why. False when
 * somebody did not answer in time: then nobody may be asked anything more. */
bool collect_files(const struct identity *identity, const void *file, size_t bytes, bool *is_held);

/* What the first rank prints in MPI_Finalize, added up over the tree of ranks. */

/* By all ranks, but nobody waits for ever: when the others do not answer, the first says so. True
 * on a rank that has heard of all below it in the tree. `finalize_ticks`: how long MPI_Finalize has
 * waited for them. */
bool summary_print(const struct identity *identity, const struct mprof_run *run,
                   const struct mprof_clock *clock, bool has_file, bool all_are_here,
                   uint64_t finalize_ticks);

#endif
