/* What `mprof lint` needs beyond a profile (MPROF_LINT): the messages and collectives of a rank one
 * by one, in their order, and what is seen to be wrong while the program runs.
 *
 * wrap/lint_watch.h calls this, which reads handles, buffers and statuses; here are only integers.
 *
 * Steps are those of one thread, the first that comes here. They end where the table is full, where
 * a second thread comes, or where something is done that they do not tell. From then on the rank
 * has no more steps, and the parser takes what follows as not known. So memory is bounded.
 *
 * Operations that are pending are known with their buffers while there are steps. Finds are of any
 * thread, behind a lock: there are few of them.
 */
#ifndef MPROF_LINT_RECORD_H
#define MPROF_LINT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "record/objects/communicators.h"
#include "record/paths/path_cache.h"
#include "record/state/running_call.h"

/* With the arena open. Without room nothing is kept. */
void lint_open(void);

/* ---- steps --------------------------------------------------------------------------------------
 */

/* May this thread note a step? */
bool lint_is_noting(const struct call *call);

/* The next step: its function, line and communicator are those of the call. Its number, from 1; 0 =
 * there are no more. */
uint32_t lint_note(const struct call *call, const struct mprof_lint_step *step);

void lint_end_steps(void);

/* ---- finds --------------------------------------------------------------------------------------
 */

/* The same function, line, kind and other line are one find, counted. `text` may be NULL. */
struct lint_other {
    uint16_t function;
    uint32_t callsite;
};
void lint_find(const struct call *call, enum mprof_lint_find_kind kind, struct lint_other other,
               const char *text);

/* ---- operations that are pending ----------------------------------------------------------------
 */

/* Memory that an operation reads or writes; `begin` == `end`: none. */
struct lint_buffer {
    uint64_t begin;
    uint64_t end;
    bool is_written;
};

struct lint_operation {
    uint64_t request; /* handle; 0 = the place is free */
    uint32_t step;    /* that started it; 0 = it has none */
    bool is_active;
    bool is_persistent;
    bool receives;
    uint8_t buffer_count;
    struct mprof_lint_step pattern; /* of each start of a persistent one */
    struct comm *comm;              /* of a receive, held until it ends: comm_keep() */
    struct lint_other line;         /* that started it */
    struct lint_buffer buffers[4];
};
enum { LINT_BUFFERS = 4 };

/* Where an operation can be filled in; NULL: too many are pending, and the steps end. */
struct lint_operation *lint_new_operation(void);

/* Of this request. Where the MPI gives several the same one, it is not known which of them ended:
 * all of them are forgotten, and NULL is returned. */
struct lint_operation *lint_operation_of(uint64_t request);

/* It ended, or it is not started again. */
void lint_drop_operation(struct lint_operation *operation);

/* The active operation that uses memory of `operation` in a way that is not allowed, or NULL. */
const struct lint_operation *lint_overlap(const struct lint_operation *operation);

/* Two buffers of one call. */
bool lint_overlaps_itself(const struct lint_operation *operation);

/* ---- threads ------------------------------------------------------------------------------------
 */

/* Around a call of MPI. True: another thread is in one. */
bool lint_enter(void);
void lint_leave(void);

/* In a child with a record of its own (attach.c). */
void lint_forget(void);

#endif
