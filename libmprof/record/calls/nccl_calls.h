/* Calls of NCCL and RCCL, as they tell them to their profiler plugin (interpose/nccl_plugin.c).
 *
 * Nothing ever tells that a call has ended for good: NCCL says that it has put it into its queue,
 * and then that parts of it run. So a call's time grows with each part that is seen to end. Calls
 * are remembered in a ring; a part of one that is no longer in it is forgotten. Any thread, also
 * NCCL's own; all take a lock. Nothing here runs without MPROF_GPU=kernels. */
#ifndef MPROF_NCCL_CALLS_H
#define MPROF_NCCL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "mprof/format/format.h"

/* Is it recorded now? */
bool nccl_is_recorded(void);

struct nccl_comm {
    uint64_t id;
    const char *name; /* NULL = it has none */
    uint32_t rank, ranks, nodes;
};

/* Its row, from 1. 0 = there is no room. One that was told before is found again. */
uint32_t nccl_comm_row(const struct nccl_comm *comm);

struct nccl_call {
    uint32_t comm; /* row */
    bool is_message;
    const char *function, *datatype; /* NULL = not known */
    uint64_t count;                  /* of elements */
    uint64_t number;                 /* of collectives of the communicator */
    uint32_t callsite;               /* slot; 0 = not known */
    uint32_t peer;                   /* of messages: as in mprof_nccl_call */
};

/* From which line the program called NCCL, where the function of the plugin has this return address
 * and canonical frame address. 0 = not known: a thread of NCCL's own, or one inside an MPI call. */
uint32_t nccl_callsite(const void *return_address, const void *cfa);

/* A call, and a part of the call that `handle` is of. NULL = it is not followed. */
void *nccl_call_begin(const struct nccl_call *given);
void *nccl_part_begin(void *handle, uint64_t device_ns); /* 0 = not known */

/* `handle`: of a part; of a part or a call. Anything else is ignored. */
void nccl_part_stops(void *handle, uint64_t device_ns);
void nccl_end(void *handle);

/* In a child with a record of its own. */
void nccl_forget(void);

#endif
