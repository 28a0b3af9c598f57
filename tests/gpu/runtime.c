/* What programs ask the driver for (runtime.h). Linked with a program, or a library of its own; so
 * is runtime_ask.c or runtime_linked.c, which say how it is asked. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void need(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "runtime: %s\n", what);
    exit(3);
}

/* A function is asked for at each use: the answer must be the same. */
#define CALL(type, name, ...) \
    need(((type *)(uintptr_t)runtime_function(name, 0))(__VA_ARGS__) == 0, name)

typedef int init_type(unsigned flags);
typedef int load_type(void **module, const void *image);
typedef int stream_type(struct stream **stream, unsigned flags);
typedef int launch_type(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, struct stream *, void **, void **);
typedef int nothing_type(void);
typedef int event_type(uint64_t **event, unsigned flags);
typedef int record_type(uint64_t *event, struct stream *stream);
typedef int wait_type(uint64_t *event);
typedef int memory_type(uintptr_t *address, size_t bytes);
typedef int free_type(uintptr_t address);
typedef int to_device_type(uintptr_t to, const void *from, size_t bytes);
typedef int from_device_type(void *to, uintptr_t from, size_t bytes);
typedef int later_type(uintptr_t to, const void *from, size_t bytes, struct stream *stream);
typedef int copy_type(uintptr_t to, uintptr_t from, size_t bytes);
typedef int rows_type(const size_t *copy);
typedef int device_type(int *device, int number);
typedef int retain_type(void **context, int device);
typedef int context_type(void *context);
typedef int kernel_type(void **function, void *module, const char *name);
typedef int capture_type(struct stream *stream, int mode);
typedef int end_type(struct stream *stream, void **graph);
typedef int instantiate_type(void **executable, void *graph, uint64_t flags);
typedef int graph_type(void *executable, struct stream *stream);
typedef int pinned_type(void **memory, size_t bytes, unsigned flags);
typedef int register_type(void *memory, size_t bytes, unsigned flags);
typedef int managed_type(uintptr_t *memory, size_t bytes, unsigned flags);

void runtime_init(void)
{
    CALL(init_type, "cuInit", 0);
}

/* Of device 0, as the runtime makes it. */
static void *context;

struct stream *runtime_stream(void)
{
    struct stream *stream = NULL;
    if (context != NULL)
        CALL(context_type, "cuCtxSetCurrent", context);
    CALL(stream_type, "cuStreamCreate", &stream, 0);
    return stream;
}

void runtime_load(void)
{
    void *module = NULL;
    CALL(load_type, "cuModuleLoadData", &module, "code");
}

void runtime_launch(struct stream *stream, uint64_t ns)
{
    void *parameters[] = {&ns};
    CALL(launch_type, "cuLaunchKernel", NULL, 1, 2, 3, 4, 5, 6, 7, stream, parameters, NULL);
}

#define KERNEL(name, more)                                                                 \
    ".visible .entry " name "(.param .u64 length" more ")\n"                               \
    "{ .reg .u64 %begin, %now, %length; .reg .pred %on; ld.param.u64 %length, [length];\n" \
    "mov.u64 %begin, %globaltimer;\n"                                                      \
    "again: mov.u64 %now, %globaltimer; sub.u64 %now, %now, %begin;\n"                     \
    "setp.lt.u64 %on, %now, %length; @%on bra again; ret; }\n"

/* Each spins as long as it is told to. */
static const char code[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n" KERNEL("stencil", "") KERNEL("inner", "")
        KERNEL("border", "") KERNEL("tiny", "") KERNEL("pack", ", .param .u64 buffer");
static struct kernel {
    const char *name;
    void *function;
} kernels[] = {
    {"stencil", NULL}, {"inner", NULL}, {"border", NULL}, {"tiny", NULL}, {"pack", NULL}};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

void *runtime_kernel(const char *kernel)
{
    int at = 0;
    while (at < KERNELS - 1 && strcmp(kernels[at].name, kernel) != 0)
        at++;
    return kernels[at].function;
}

void runtime_load_kernels(void)
{
    int device = 0;
    void *module = NULL;
    CALL(device_type, "cuDeviceGet", &device, 0);
    CALL(retain_type, "cuDevicePrimaryCtxRetain", &context, device);
    CALL(context_type, "cuCtxSetCurrent", context);
    CALL(load_type, "cuModuleLoadData", &module, code);
    for (int i = 0; i < KERNELS; i++)
        CALL(kernel_type, "cuModuleGetFunction", &kernels[i].function, module, kernels[i].name);
}

void runtime_launch_kernel(const char *kernel, struct stream *stream, uint64_t ns)
{
    void *parameters[] = {&ns};
    CALL(launch_type, "cuLaunchKernel", runtime_kernel(kernel), 1, 2, 3, 4, 5, 6, 7, stream,
         parameters, NULL);
}

void runtime_launch_pack(struct stream *stream, uint64_t ns, uintptr_t buffer)
{
    void *parameters[] = {&ns, &buffer};
    CALL(launch_type, "cuLaunchKernel", kernels[KERNELS - 1].function, 1, 2, 3, 4, 5, 6, 7, stream,
         parameters, NULL);
}

void runtime_launch_graph(struct stream *stream, uint64_t ns)
{
    static void *executable;
    if (executable == NULL) {
        void *graph = NULL;
        CALL(capture_type, "cuStreamBeginCapture", stream, 0);
        runtime_launch_kernel("stencil", stream, ns);
        CALL(end_type, "cuStreamEndCapture", stream, &graph);
        CALL(instantiate_type, "cuGraphInstantiateWithFlags", &executable, graph, 0);
    }
    CALL(graph_type, "cuGraphLaunch", executable, stream);
}

void *runtime_pinned(size_t bytes)
{
    void *memory = NULL;
    CALL(pinned_type, "cuMemHostAlloc", &memory, bytes, 0);
    return memory;
}

void runtime_free_pinned(void *memory)
{
    CALL(context_type, "cuMemFreeHost", memory);
}

void runtime_register(void *memory, size_t bytes)
{
    CALL(register_type, "cuMemHostRegister", memory, bytes, 0);
}

void runtime_unregister(void *memory)
{
    CALL(context_type, "cuMemHostUnregister", memory);
}

uintptr_t runtime_managed(size_t bytes)
{
    uintptr_t memory = 0;
    CALL(managed_type, "cuMemAllocManaged", &memory, bytes, 1);
    return memory;
}

void runtime_wait(struct stream *stream)
{
    CALL(sync_function, "cuStreamSynchronize", stream);
}

void runtime_wait_for_all(void)
{
    CALL(nothing_type, "cuCtxSynchronize");
}

void runtime_end_stream(struct stream *stream)
{
    CALL(sync_function, "cuStreamDestroy", stream);
}

uint64_t *runtime_event(void)
{
    uint64_t *event = NULL;
    CALL(event_type, "cuEventCreate", &event, 0);
    return event;
}

void runtime_record(uint64_t *event, struct stream *stream)
{
    CALL(record_type, "cuEventRecord", event, stream);
}

void runtime_wait_for_event(uint64_t *event)
{
    CALL(wait_type, "cuEventSynchronize", event);
}

int runtime_is_busy(struct stream *stream)
{
    static sync_function *query;
    if (query == NULL)
        query = (sync_function *)(uintptr_t)runtime_function("cuStreamQuery", 0);
    const int error = query(stream);
    need(error == 0 || error == NOT_READY, "cuStreamQuery");
    return error == NOT_READY;
}

uintptr_t runtime_memory(size_t bytes)
{
    uintptr_t address = 0;
    CALL(memory_type, "cuMemAlloc", &address, bytes);
    return address;
}

void runtime_free(uintptr_t memory)
{
    CALL(free_type, "cuMemFree", memory);
}

void runtime_to_device(uintptr_t to, const void *from, size_t bytes)
{
    CALL(to_device_type, "cuMemcpyHtoD", to, from, bytes);
}

void runtime_from_device(void *to, uintptr_t from, size_t bytes)
{
    CALL(from_device_type, "cuMemcpyDtoH", to, from, bytes);
}

void runtime_to_device_later(uintptr_t to, const void *from, size_t bytes, struct stream *stream)
{
    CALL(later_type, "cuMemcpyHtoDAsync", to, from, bytes, stream);
}

void runtime_copy(uintptr_t to, uintptr_t from, size_t bytes)
{
    CALL(copy_type, "cuMemcpy", to, from, bytes);
}

void runtime_rows_from_device(void *to, uintptr_t from, size_t width, size_t height)
{
    size_t copy[16] = {[2] = 2, [4] = from, [9] = 1, [10] = (uintptr_t)to};
    copy[6] = 2 * width;
    copy[13] = width;
    copy[14] = width;
    copy[15] = height;
    CALL(rows_type, "cuMemcpy2D", copy);
}

/* CUDA_MEMCPY3D in words. It begins behind a row and a plane. */
void runtime_box_to_device(uintptr_t to, const void *from, size_t width, size_t height,
                           size_t depth)
{
    size_t copy[25] = {[1] = 1, [2] = 1, [4] = 1, [5] = (uintptr_t)from, [15] = 2, [17] = to};
    copy[9] = 2 * width;
    copy[10] = height;
    copy[20] = width;
    copy[21] = height;
    copy[22] = width;
    copy[23] = height;
    copy[24] = depth;
    CALL(rows_type, "cuMemcpy3D", copy);
}
