/* What GPUs did, added up at once: kernels by name, copies by kind, and when each GPU was busy
 * (mprof_gpu_activity and the sections behind it). gpu_cupti.c brings each piece of work, in any
 * order, on a thread of CUPTI's; the driver's calls of the program (gpu_calls.c) tell meanwhile how
 * much of the time between them its first thread was in MPI.
 *
 * For the times at which a GPU is busy, work has to be put in order. So pieces wait in a heap until
 * there are ORDERED of them, or until they are ORDERED_NS old. What comes later than that counts
 * with the part of it that is behind all others.
 *
 * Nothing here runs without MPROF_GPU=kernels and a GPU. All but gpu_activity_host() take a lock.
 */
#ifndef MPROF_GPU_ACTIVITY_H
#define MPROF_GPU_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "mprof/format/format.h"

/* Work is recorded: the driver's calls have to tell of MPI. */
extern HIDDEN bool gpu_activity_is_on;

struct gpu_activity {
    enum mprof_gpu_work_kind kind;
    uint32_t device;
    uint64_t start_ticks;
    uint64_t end_ticks; /* not after start_ticks: it has not ended */
    uint64_t bytes;
    bool is_pageable; /* memory of the host that is not pinned */
    const char *name; /* of kernels: copied */
};

/* Whether work can be recorded, and if not, why. False: there is no room for it. */
bool gpu_activity_open(enum mprof_gpu_source source, uint32_t error, uint32_t version);

/* Many pieces come one after the other, between these two. False: not now, or not any more. */
bool gpu_activity_begin(void);
void gpu_activity_end(uint64_t dropped);
void gpu_activity_add(const struct gpu_activity *given);

/* The end of the run: what waits in the heap, too. */
void gpu_activity_settle(void);

/* The first thread calls the driver, and has called it; it has been in MPI for so long since it
 * began. */
void gpu_activity_host(uint64_t now_ticks, uint64_t mpi_ticks, bool enters);

/* In a child with a record of its own: it has no GPU. */
void gpu_activity_forget(void);

#endif
