/* What the whole process lost for lack of space, and what libmprof itself took of its time, as the
 * record shows it (mprof_run). What a thread lost is in its mprof_thread.
 *
 * Any thread may count; nothing here is on the hot path.
 */
#ifndef MPROF_LOSSES_H
#define MPROF_LOSSES_H

#include <stdint.h>

#include "mprof/format/format.h"

/* Never NULL: before the record is opened, and where there is none, nobody reads it. */
extern struct mprof_run *losses;

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written */
static inline void count_loss(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

#endif
