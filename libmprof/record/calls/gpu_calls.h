/* A call of a GPU's driver by the program, and what is written down of it (mprof_gpu).
 *
 * interpose/gpu_driver.c begins and ends it, on the thread that makes the call, around the driver's
 * function. It counts outside MPI calls, and not inside another one of the same kind: what the
 * MPI asks the GPU for is the MPI's, and a call that the driver makes to itself is part of the
 * first. Time is that of "computing" between two MPI calls; cpu_time.c and the time bins learn of
 * it, so that what a thread sleeps there is no time that the program was blocked. While it is in
 * progress the record says so: a rank may be killed in it.
 *
 * No call of a driver is made here. A thread without a record of its own, or with a shared one,
 * adds to a row of the process, by atomic additions. In a child of fork() nothing is recorded. */
#ifndef MPROF_GPU_CALLS_H
#define MPROF_GPU_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "mprof/format/format.h"

/* Calls of a GPU's driver outside MPI. Those that end since the CPU time was
 * read last are not in the time bins yet. */
enum gpu_state { GPU_WAITING, GPU_COPYING, GPU_LAUNCHING };
struct thread_gpu {
    const void *outermost;                  /* the call in progress, on the stack */
    uint64_t ticks;                         /* of all that ended on this thread */
    uint64_t from_ticks;                    /* the first of these began; 0 = there is none */
    uint64_t state_ticks[MPROF_GPU_STATES]; /* of these, by gpu_state */
};

/* On the stack of the wrapper: a call that lies further out tells that this one was left by a jump.
 */
struct gpu_call {
    struct mprof_gpu *row;
    uint64_t start_ticks; /* 0 = a poll without the clock (gpu_polls.h) */
    uint32_t callsite;    /* slot */
    uint32_t kernel;      /* of a wait: the record's row of what was launched before it */
};

/* What a copy moved. bytes 0 and direction MPROF_GPU_DIRECTIONS: no copy, or one that failed. */
struct gpu_moved {
    enum mprof_gpu_direction direction;
    uint64_t bytes;
    const void *host; /* where it begins in the host's memory; NULL = none, or not known */
    bool has_gaps;    /* between its rows there */
    bool is_later;    /* the call does not wait for the copy, or need not */
    bool is_freed;    /* no copy: memory of the device was given back, behind all work */
    enum mprof_memory_kind memory; /* of the host's part, MPROF_GPU_HOST_KINDS = not known: found
                                      when the copy has ended */
};

/* Rows of a thread's table of call sites, the first ones for what is not kept apart: a power of
 * two.
 */
enum { GPU_SITE_ROWS = 128 };

/* Where it comes from. */
struct gpu_origin {
    const void *return_address; /* of the wrapper; likewise: */
    const void *cfa;            /* canonical frame address */
    uint32_t kernel;            /* of a wait: launched before it (gpu_kernels.h); 0 = not known */
};

/* What the driver says to a poll when work has not ended yet, CUDA's and HIP's. */
enum { GPU_NOT_READY = 600 };

/* False: it is not recorded, and does not end. Keeps errno, as the other. */
bool gpu_call_begin(struct gpu_call *call, enum mprof_gpu_class kind,
                    const struct gpu_origin *origin);
void gpu_call_end(struct gpu_call *call, enum mprof_gpu_class kind, struct gpu_moved *moved,
                  int error);

/* Functions that the program uses and that have no wrapper, so far. */
void gpu_calls_not_seen(uint64_t functions);

/* In a child with a record of its own (process/life.c). */
void gpu_calls_forget(void);

/* ---- copying and waiting: gpu_waits.c -------------------------------------------------------- */

/* How long a copy copied, and how long it waited for kernels before it.
 *
 * A copy that blocks begins when the kernels before it have ended; on the clock the two look alike.
 * The best case of the run for (direction, kind of the host's memory, size) tells how long the
 * copying takes, also that of other sizes. Only a copy before which something was launched can
 * wait. From any thread; nothing here takes a lock. */

/* Something was launched; a wait for the GPU has ended. */
void gpu_copies_launched(void);
void gpu_copies_waited(void);

/* Of a copy that took `ticks`, those that it waited; of a call that gave memory back likewise. */
uint64_t gpu_copy_wait_ticks(const struct gpu_moved *moved, uint64_t ticks);
uint64_t gpu_free_wait_ticks(uint64_t ticks);

#endif
