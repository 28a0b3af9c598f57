/* The life of the process as libmprof sees it: MPI_Init, MPI_Finalize, or some other end; what the
 * application itself says; and what a rank without a record does. Before that is the first MPI
 * call (record/calls/attach.h).
 *
 * Called by the hand-written wrappers, on the thread that makes the MPI call, with
 * thread_state.depth 1, so that nothing that happens here is recorded. Nothing here fails the
 * program: without memory nothing is recorded, without a file the summary is all there is.
 */
#ifndef MPROF_LIFE_H
#define MPROF_LIFE_H

#include <stdbool.h>
#include <stdint.h>

/* The process begins; what is known of its MPI then is that of the libraries that it is linked
 * with.
 */
void life_at_start(void);

/* MPI_Init: before and after the library's own. `thread_level` is 0 (single) to 3 (multiple). */
void life_before_init(void);
void life_after_init(uint32_t thread_level);

/* MPI_Finalize: what needs MPI, such as the summary, comes before the library's own; the finished
 * file comes after. But if all ranks' files go into one (MPROF_FILES=job), the record ends before,
 * with MPI_Finalize in it as far as it has waited for the others: life_ends_with_others(). Those
 * that return a number tell how many ticks libmprof took, without what it waited for other ranks.
 */
uint64_t life_before_finalize(void);
bool life_ends_with_others(void);
void life_time_is_over(void);    /* the time of MPI_Finalize, and so of the program */
void life_end_with_others(void); /* when MPI_Finalize is recorded */
uint64_t life_leave_others(void);
void life_after_finalize(int error); /* that MPI_Finalize returned: nothing comes after that */

/* Sessions (MPI 5.0, 11.3): a program may use MPI without MPI_Init. Then its rank file begins at
 * the first session and is finished when the program exits after its last one; there is no summary,
 * because no communicator holds everyone. */
void life_before_session_init(void);
void life_after_session_init(uint64_t session);
bool life_before_session_finalize(uint64_t session);             /* false = it is not open */
void life_after_session_finalize(uint64_t session, bool closed); /* closed: not refused */

/* A session is opened and nothing is recorded. If that is because MPI_Finalize ended the record, a
 * warning says so. */
void life_session_unseen(void);

void life_before_abort(int code);

/* Of the profile; "" = there is none. */
const char *life_folder(void);

/* The program calls abort(), or assert() does. `frame` is path_wrapper_frame() of what it called.
 */
void life_gives_up(const void *return_address, const void *frame);

/* The MPI ends the job because a call of this thread failed: as if the program had aborted. */
void life_end_in_call(int status);

/* What the application tells mprof about itself: regions, and what not to record. */

void application_region_begin(const char *name);
void application_region_end(const char *name);
void application_pause(void);
void application_resume(void);

/* MPI_Pcontrol(level, ...): (1, "name") begins a region and (-1, "name") ends it; (0) pauses and
 * (1) resumes. `candidate` is where the name is if one was given, else anything; NULL = there is
 * none. `was_given`: it is certain that one was given. Other levels mean nothing here. */
void application_control(int level, const char *candidate, bool was_given);

/* A rank that has no record, because there was no memory for one. The other ranks do not know that
 * and ask it what they ask every rank. It answers, so that nobody waits for it, and it leaves no
 * file.
 *
 * Called by the wrappers of MPI_Init and MPI_Finalize where nothing is recorded. In every other
 * process they do nothing.
 */

/* Before the MPI's own MPI_Init, and after it has succeeded: hears, or as the first rank says,
 * where the profile goes. */
void bystander_before_init(void);
void bystander_after_init(void);

/* Tells the others that there will be no answer from here. */
void bystander_before_finalize(void);

/* In a child of fork() that gets a record of its own. */
void bystander_forget(void);

#endif
