/* Work of the GPU that may still write to a buffer: for MPROF_LINT alone.
 *
 * Of each of the last launches its stream is kept, and its parameters that are pointers; of a copy
 * to the device that need not end at once, where it writes. A buffer is one of them if its address
 * is; whether the work has ended the driver is asked, but of no stream that is captured into a
 * graph, where that is not allowed. The parameters' sizes are known from CUDA 12.4 on; of an older
 * driver launches are not kept.
 *
 * From any thread; a place of the table that two write at once is lost. */
#ifndef MPROF_GPU_PENDING_H
#define MPROF_GPU_PENDING_H

#include <stdint.h>

void gpu_pending_launched(uintptr_t function, void *const *parameters, uintptr_t stream);
void gpu_pending_copied(uintptr_t to, uintptr_t stream);

/* What has this address and may still run: "kernel pack"; NULL = nothing. */
const char *gpu_pending_at(const void *address);

#endif
