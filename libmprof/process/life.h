/* The life of the process as libmprof sees it: first MPI call, MPI_Init, MPI_Finalize, or some
 * other end.
 *
 * Called by the hand-written wrappers, on the thread that makes the MPI call, with
 * thread_state.depth 1, so that nothing that happens here is recorded. Nothing here fails the
 * program: without memory nothing is recorded, without a file the summary is all there is.
 */
#ifndef MPROF_LIFE_H
#define MPROF_LIFE_H

#include <stdbool.h>
#include <stdint.h>

/* MPI_Init: before and after the library's own. `thread_level` is 0 (single) to 3 (multiple). */
void life_before_init(void);
void life_after_init(uint32_t thread_level);

/* MPI_Finalize: the summary needs MPI, so it comes before; the finished file comes after.
 * Returns how many ticks libmprof took, without what it waited for other ranks. */
uint64_t life_before_finalize(void);
void life_after_finalize(void);

/* Sessions (MPI 5.0, 11.3): a program may use MPI without MPI_Init. Then its rank file begins at
 * the first session and is finished when the program exits after its last one; there is no summary,
 * because no communicator holds everyone. */
void life_before_session_init(void);
void life_after_session_init(uint64_t session);
bool life_before_session_finalize(uint64_t session);             /* false = it is not open */
void life_after_session_finalize(uint64_t session, bool closed); /* closed: not refused */

/* A session that is opened when nothing is recorded: if that is because MPI_Finalize ended the
 * record, it is said. */
void life_session_unseen(void);

void life_before_abort(int code);

/* The first MPI call in a child that was made without the handlers of fork() (clone, _Fork): called
 * between the beginning and the start of that call, which goes to the child's own record. */
void life_after_hidden_fork(void);

/* At the end of a call, when samples_due(): the next sample, billed to libmprof. */
void life_sample(uint64_t now_ticks);

#endif
