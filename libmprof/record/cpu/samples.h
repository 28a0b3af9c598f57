/* Samples: what the process uses and where it runs, at a few moments of the run (mprof_sample).
 *
 * MPI_Init entered and left, MPI_Finalize entered, and moments in between, which get farther apart
 * as the run gets longer. There are at most SAMPLES_MOST, spread evenly. So even a killed rank has
 * a sample that is not older than a tenth of its run. Everything comes from the kernel's own files
 * (design.md says why not from hwloc): about 0.1 ms, in no MPI call's time.
 *
 * samples_open() first, on the first MPI call; then any thread. Keeps errno.
 */
#ifndef MPROF_SAMPLES_H
#define MPROF_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "mprof/format/format.h"

enum { SAMPLES_MOST = 32 };

extern HIDDEN uint64_t samples_deadline; /* in ticks */

/* With the arena open. */
void samples_open(void);

void samples_take(enum mprof_sample_moment moment);

/* At the end of every call: is it time for the next sample? */
static inline bool samples_due(uint64_t now_ticks)
{
    return now_ticks >= __atomic_load_n(&samples_deadline, __ATOMIC_RELAXED);
}

/* Takes it, unless another thread does. False if none was taken. */
bool samples_take_running(uint64_t now_ticks);

/* Largest resident set of this program. getrusage() also counts what this process ran before it. */
uint64_t samples_peak_bytes(void);

/* One line of /proc/self/numa_maps: adds its pages, if they are the process's own, to those on
 * `node` and on others. */
void samples_add_numa_line(const char *line, int node, uint64_t *local_bytes,
                           uint64_t *other_bytes);

/* In a child with a record of its own (attach.c). */
void samples_forget(void);

/* ---- conditions ------------------------------------------------------------------------------ */

/* What the machine gives the process (mprof_condition): the speed of its CPU, the time that its
 * control group is held back, and the bytes that it reads and writes.
 *
 * A rank that computes longer may have more work, or a slower CPU. The same arithmetic on each rank
 * shows which it is. It takes 0.13 ms of CPU time when MPI_Init returns and when MPI_Finalize is
 * entered, which is mprof's own time.
 *
 * life.c calls conditions_note() with its lock not held; a session may come on any thread. Without
 * room nothing is noted.
 */

/* With the arena open. */
void conditions_open(void);

/* Of several sessions only the start of the first is noted. */
void conditions_note(enum mprof_sample_moment moment);

/* CPU time of the fixed piece of arithmetic, in ns; 0 = there is no such clock. While the program
 * runs, with a tenth of the steps: 13 us. */
uint64_t conditions_work_ns(void);
uint64_t conditions_running_work_ns(void);

/* In a child with a record of its own (attach.c). */
void conditions_forget(void);

#endif
