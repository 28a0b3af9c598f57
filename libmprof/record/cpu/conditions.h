/* What the machine gives the process (mprof_condition): the speed of its CPU, the time that its
 * control group is held back, and the bytes that it reads and writes.
 *
 * A rank that computes longer may have more work, or a slower CPU. The same arithmetic on each rank
 * tells them apart. It takes 0.13 ms of CPU time when MPI_Init returns and when MPI_Finalize is
 * entered, which is mprof's own time.
 *
 * life.c calls conditions_note() with its lock not held; a session may come on any thread. Without
 * room nothing is noted.
 */
#ifndef MPROF_CONDITIONS_H
#define MPROF_CONDITIONS_H

#include <stdint.h>

#include "mprof/format/format.h"

/* With the arena open. */
void conditions_open(void);

/* Of several sessions only the first one's begin is noted. */
void conditions_note(enum mprof_sample_moment moment);

/* CPU time of the fixed piece of arithmetic, in ns; 0 = there is no such clock. While the program
 * runs, with a tenth of the steps: 13 us. */
uint64_t conditions_work_ns(void);
uint64_t conditions_running_work_ns(void);

/* In a child with a record of its own (attach.c). */
void conditions_forget(void);

#endif
