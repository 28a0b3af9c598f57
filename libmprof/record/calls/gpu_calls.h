/* A call of a GPU's driver by the program, and what is written down of it (mprof_gpu).
 *
 * interpose/gpu_driver.c begins and ends it, on the thread that makes the call, around the driver's
 * function. It counts outside MPI calls, and not inside another one of the same kind: what the
 * MPI asks the GPU for is the MPI's, and a call that the driver makes to itself is part of the
 * first. Time is that of "computing" between two MPI calls; cpu_time.c and the time bins learn of
 * it, so that what a thread sleeps there is no time that the program was blocked.
 *
 * No call of a driver is made here. A thread without a record of its own, or with a shared one,
 * adds to a row of the process, by atomic additions. In a child of fork() nothing is recorded. */
#ifndef MPROF_GPU_CALLS_H
#define MPROF_GPU_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "mprof/format/format.h"

/* On the stack of the wrapper: a call that lies further out tells that this one was left by a jump.
 */
struct gpu_call {
    struct mprof_gpu *row;
    uint64_t start_ticks;
    uint32_t callsite; /* slot */
    uint32_t kernel;   /* of a wait: what was launched before it (gpu_kernels.h) */
};

/* What a copy moved. bytes 0 and direction MPROF_GPU_DIRECTIONS: no copy, or one that failed. */
struct gpu_moved {
    enum mprof_gpu_direction direction;
    uint64_t bytes;
    const void *host; /* in the host's memory; NULL = none, or not known */
    bool is_later;    /* the call does not wait for the copy, or need not */
};

/* Rows of a thread's table of call sites, the first ones for what is not kept apart: a power of
 * two.
 */
enum { GPU_SITE_ROWS = 128 };

/* False: it is not recorded, and does not end. Keeps errno, as the other. The wrapper has this
 * return address and canonical frame address. */
bool gpu_call_begin(struct gpu_call *call, const void *return_address, const void *cfa);
void gpu_call_end(struct gpu_call *call, enum mprof_gpu_class class, const struct gpu_moved *moved);

/* Functions that the program uses and that have no wrapper, so far. */
void gpu_calls_not_seen(uint64_t functions);

/* In a child with a record of its own (process/life.c). */
void gpu_calls_forget(void);

#endif
