/* How long a copy copied, and how long it waited for kernels before it.
 *
 * A copy that blocks begins when the kernels before it have ended; on the clock the two look alike.
 * The best case of the run for (direction, kind of the host's memory, size) tells how long the
 * copying takes, also that of other sizes. Only a copy before which something was launched can
 * wait. From any thread; nothing here takes a lock. */
#ifndef MPROF_GPU_COPIES_H
#define MPROF_GPU_COPIES_H

#include <stdint.h>

#include "record/calls/gpu_calls.h"

/* Something was launched; a wait for the GPU has ended. */
void gpu_copies_launched(void);
void gpu_copies_waited(void);

/* Of a copy that took `ticks`, those that it waited. */
uint64_t gpu_copy_wait_ticks(const struct gpu_moved *moved, uint64_t ticks);

#endif
