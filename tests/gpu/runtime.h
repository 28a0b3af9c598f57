/* A small runtime as CUDA's. It asks the driver for each function (runtime_ask.c), or is linked
 * with it (runtime_linked.c). */
#ifndef GPU_RUNTIME_H
#define GPU_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "fake_cuda.h"

/* Ends the program where something is not there. */
void need(int condition, const char *what);

/* Finds the driver, and calls the next one. */
void runtime_open(void);
void runtime_init(void);

/* What the driver has under a name, in the version that cudart 12 asks for. */
void *runtime_function(const char *name, uint64_t flags);
void *runtime_driver(void); /* handle of dlopen() */

struct stream *runtime_stream(void);
void runtime_load(void);
/* Code with the kernels below, and a context for the thread; then a launch by name. */
void runtime_load_kernels(void);
void runtime_launch_kernel(const char *kernel, struct stream *stream, uint64_t ns);
/* Kernel pack, which writes to a buffer. */
void runtime_launch_pack(struct stream *stream, uint64_t ns, uintptr_t buffer);
/* A graph with one kernel. */
void runtime_launch_graph(struct stream *stream, uint64_t ns);
void runtime_launch(struct stream *stream, uint64_t ns);
void *runtime_kernel(const char *kernel); /* its handle */
void runtime_wait(struct stream *stream);
void runtime_wait_for_all(void);
void runtime_end_stream(struct stream *stream);
uint64_t *runtime_event(void);
void runtime_record(uint64_t *event, struct stream *stream);
void runtime_wait_for_event(uint64_t *event);
int runtime_is_busy(struct stream *stream);
uintptr_t runtime_memory(size_t bytes);
void runtime_free(uintptr_t memory);
void *runtime_pinned(size_t bytes);
void runtime_free_pinned(void *memory);
uintptr_t runtime_managed(size_t bytes);
void runtime_register(void *memory, size_t bytes);
void runtime_unregister(void *memory);
void runtime_to_device(uintptr_t to, const void *from, size_t bytes);
void runtime_from_device(void *to, uintptr_t from, size_t bytes);
void runtime_to_device_later(uintptr_t to, const void *from, size_t bytes, struct stream *stream);
void runtime_copy(uintptr_t to, uintptr_t from, size_t bytes);
/* Rows that follow each other in the host's memory, and have gaps on the device. */
void runtime_rows_from_device(void *to, uintptr_t from, size_t width, size_t height);
/* Planes of rows that follow each other on the device; in the host's memory each row is twice as
 * long. */
void runtime_box_to_device(uintptr_t to, const void *from, size_t width, size_t height,
                           size_t depth);

#endif
