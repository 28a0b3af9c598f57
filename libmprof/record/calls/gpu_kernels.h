/* Which kernel a wait for the GPU follows, and which work may still run.
 *
 * A program asks its driver for a kernel by name and gets a handle; launches have the handle. Both
 * pass the wrappers (interpose/gpu_driver.c), so the driver need not be asked. Of each stream the
 * kernel launched last is remembered, and of each event that of its stream when it was recorded.
 * Streams share places by their address, and so do events, so of thousands some are forgotten; none
 * gets the kernel of another one. Handles and names are kept from the process's begin on, in memory
 * that is not touched without a GPU; a name comes into the record when a wait follows its kernel.
 *
 * From any thread. Names are kept under a lock, all else is one load or store. */
#ifndef MPROF_GPU_KERNELS_H
#define MPROF_GPU_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of kernels; 0 = not known. */
enum { GPU_KERNELS = 256, GPU_KERNEL_GRAPH = 1 };

/* `handle` is what the driver gives for `name`. */
void gpu_kernel_is_named(uintptr_t handle, const char *name);
/* `handle` is another one for the same kernel. */
void gpu_kernel_is_same(uintptr_t handle, uintptr_t other);

/* Of a handle; "a kernel" if it is not known. */
const char *gpu_kernel_name(uintptr_t handle);
bool gpu_kernel_has_name(uintptr_t handle);

/* A kernel, or a graph, was launched on `stream`. */
void gpu_kernel_launched(uintptr_t handle, uintptr_t stream);
void gpu_graph_launched(uintptr_t stream);

/* Which was launched last on `stream`; on any if it is GPU_ANY_STREAM. */
#define GPU_ANY_STREAM UINTPTR_MAX
uint32_t gpu_kernel_before(uintptr_t stream);

/* `event` was recorded on `stream`. Which kernel does a wait for it follow? */
void gpu_event_recorded(uintptr_t event, uintptr_t stream);
uint32_t gpu_kernel_before_event(uintptr_t event);

/* The stream is no more, or all are (GPU_ANY_STREAM): the next one at its address is another one.
 */
void gpu_stream_is_gone(uintptr_t stream);

/* The row of the record that has its name, from 1; 0 = it has none yet. */
uint32_t gpu_kernel_known_row(uint32_t kernel);
/* The same, made if need be; 0 = there is no room. Under the lock of gpu_calls.c. */
uint32_t gpu_kernel_row(uint32_t kernel);

/* In a child with a record of its own: it has no GPU. */
void gpu_kernels_forget(void);

/* ---- work that may still run ----------------------------------------------------------------- */

/* Work of the GPU that may still write to a buffer: for MPROF_LINT alone.
 *
 * Of each of the last launches its stream is kept, and its parameters that are pointers; of a copy
 * to the device that need not end at once, where it writes. What the program has waited for by
 * stream, event or device is forgotten, and so is what is about memory or a stream that is no more.
 * A buffer is one of the rest if its address is. Whether that work has ended the driver is asked,
 * but never while any stream is captured into a graph: the question would end the capture. The
 * parameters' sizes are known from CUDA 12.4 on; of an older driver launches are not kept.
 *
 * From any thread; a place of the table that two write at once is lost. */

/* The default stream of a thread, where each thread has its own: an odd number, which no other
 * stream is. */
#define GPU_STREAM_OF_THREAD(thread) ((uintptr_t)(thread) | 1)

void gpu_pending_launched(uintptr_t function, void *const *parameters, uintptr_t stream);
void gpu_pending_copied(uintptr_t to, uintptr_t stream);

/* The program has waited for `stream`, or for all if it is GPU_ANY_STREAM, or for `event`, or has
 * learned by asking that they have ended. */
void gpu_pending_ended(uintptr_t stream);
void gpu_pending_ended_before(uintptr_t event);
void gpu_pending_freed(uintptr_t address);

/* Of any stream, by any thread. */
void gpu_capture_begins(void);
void gpu_capture_ended(void);

/* What has this address and may still run: "kernel pack"; NULL = nothing. */
const char *gpu_pending_at(const void *address);

#endif
