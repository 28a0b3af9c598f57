/* Counters (MPROF_COUNTERS): what the hardware and the kernel count, inside and outside MPI and per
 * region.
 *
 * Counters belong to a thread: each thread that gets a recorder opens the same ones for itself.
 * They are read when a call begins (before the clock) and when it ends (after the clock), so that
 * the time of reading is never billed to MPI, and when a region begins or ends. What they grew by
 * since the last read is added to a row of (region, inside or outside MPI) that belongs to the
 * thread's recorder: struct mprof_counter_values in mprof/format/format.h. What a read itself adds,
 * and how long it takes, is measured once and stored; the parser takes it off and bills it.
 *
 * call.h asks `counters_on` before each call of these: without MPROF_COUNTERS that is all they
 * cost. Every function touches only the calling thread's counters, and keeps errno.
 */
#ifndef MPROF_COUNTERS_H
#define MPROF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hot.h"

extern HIDDEN bool counters_on; /* at least one counter is counted; never changes between MPI calls
                                 */

/* Once, before any other function here and before the first recorder is attached, with the arena
 * open: chooses the counters, opens them for this thread and measures what a read costs.
 * `specification` is the value of MPROF_COUNTERS or NULL. A counter that cannot be counted is left
 * out with a warning. */
void counters_open(const char *specification);

/* This thread has got a recorder (thread_state.recorder): counts from here on. */
void counters_attach(void);

void counters_enter_mpi(void);
void counters_leave_mpi(void);

/* The thread's region is about to change. */
void counters_change_region(void);

/* What happened since the last read was neither the program's nor MPI's: it is in no row. */
void counters_skip(void);

/* Growth of the first MPROF_SEGMENT_COUNTERS counters outside MPI, between the last call's end and
 * the start of the call that was entered last, net of what reading adds. Valid until the next call
 * is entered. */
const uint64_t *counters_segment_growth(void);

/* The end of the record. Threads that still run close their counters when they end. */
void counters_close(void);

/* In a forked child, which must not use its parent's counters. */
void counters_stop_in_child(void);

/* What was asked for and is not counted, with the reasons, for the report; "" = nothing. */
const char *counters_refused(void);

/* In a child with a record of its own (attach.c). */
void counters_forget(void);

#endif
