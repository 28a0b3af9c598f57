/* Where the buffers of MPI calls are, in a process that has a GPU's driver: in the host's memory,
 * pinned, managed, on the device; and what is copied through the host's memory on its way.
 *
 * The driver is asked once per address, until memory of its is taken or given back: the address can
 * be that of other memory then. The host's part of a copy stays what it is while only memory of the
 * device changes: programs do that in each step, and would pay for a question with each copy. A
 * copy from the device to memory that an MPI call then sends, and a copy to the device from memory
 * that an MPI call has received into, are staging: found by address, among the last few.
 *
 * From any thread; everything under one lock, and what finds it taken is left out. Without a GPU's
 * driver nothing here is called. */
#ifndef MPROF_GPU_BUFFERS_H
#define MPROF_GPU_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "mprof/format/format.h"
#include "record/calls/gpu_calls.h"
#include "record/state/running_call.h"

extern HIDDEN bool gpu_buffers_are_followed; /* a function of a driver has a wrapper */

/* Memory of the driver's was taken or given back; `is_host`: perhaps the host's, pinned, managed.
 */
void gpu_buffers_changed(bool is_host);
/* Some of that will not be seen: from now on the driver is asked each time. */
void gpu_buffers_change_unseen(void);
/* This one was given back: what was copied to it or from it is not there any more. */
void gpu_buffers_freed(uintptr_t address);

enum mprof_memory_kind gpu_buffer_kind(const void *address);
/* The same of the host's part of a copy; MPROF_GPU_HOST_KINDS = not known, or not the host's. */
enum mprof_memory_kind gpu_host_kind(const void *address);

/* A call was given a buffer, of which it got or gave `bytes`. Before a call that may not come back
 * bytes are 0, and behind it it is no other call. */
struct gpu_buffer {
    const void *address;
    uint64_t bytes;
    enum mprof_memory_kind kind;
    bool is_received;
    bool is_counted; /* as a call, already */
};
void gpu_buffers_note(const struct call *call, const struct gpu_buffer *buffer);

/* A copy has ended. */
void gpu_buffers_copied(const struct gpu_moved *moved, uint64_t ticks);

void gpu_buffers_forget(void);

#endif
