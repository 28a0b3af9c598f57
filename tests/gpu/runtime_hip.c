/* The small runtime (runtime.h) of a program in HIP, which is linked with HIP's library: what
 * hipcc makes of a program. Its kernels are told to the library before main(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

struct dim3 {
    unsigned x, y, z;
};
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, AS_ADDRESSES_TELL = 4 };
void __hipRegisterFunction(void **modules, const void *function, char *device_function,
                           const char *name, unsigned limit, void *tid, void *bid, void *block,
                           void *grid, int *size);
int hipInit(unsigned flags);
int hipStreamCreate(struct stream **stream);
int hipLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **parameters,
                    size_t shared, struct stream *stream);
int hipStreamBeginCapture(struct stream *stream, int mode);
int hipStreamEndCapture(struct stream *stream, void **graph);
int hipGraphInstantiateWithFlags(void **executable, void *graph, uint64_t flags);
int hipGraphLaunch(void *executable, struct stream *stream);
int hipStreamSynchronize(struct stream *stream);
int hipStreamQuery(struct stream *stream);
int hipEventCreate(uint64_t **event);
int hipEventRecord(uint64_t *event, struct stream *stream);
int hipEventSynchronize(uint64_t *event);
int hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                size_t height, int kind);
int hipDeviceSynchronize(void);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
int hipMalloc(uintptr_t *address, size_t bytes);
int hipHostMalloc(void **memory, size_t bytes, unsigned flags);
int hipMallocManaged(uintptr_t *memory, size_t bytes, unsigned flags);
int hipHostRegister(void *memory, size_t bytes, unsigned flags);
int hipHostUnregister(void *memory);
int hipMemcpy3D(const size_t *copy);
int hipFree(uintptr_t address);
int hipHostFree(void *memory);

void need(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "runtime: %s\n", what);
    exit(3);
}

#define CALL(call) need((call) == 0, #call)

/* Functions of the host, one for each kernel, of which only the address counts. */
static char kernels[5];
static const char *const names[] = {"stencil", "inner", "border", "tiny", "pack"};
enum { KERNELS = sizeof names / sizeof names[0] };

__attribute__((constructor)) static void tell_kernels(void)
{
    static void *modules[1];
    static int size = 64;
    for (int i = 0; i < KERNELS; i++)
        __hipRegisterFunction(modules, &kernels[i], (char *)(uintptr_t)names[i], names[i],
                              4294967295u, NULL, NULL, NULL, NULL, &size);
}

void runtime_open(void)
{
    CALL(hipInit(0));
}

void runtime_load_kernels(void) {}

struct stream *runtime_stream(void)
{
    struct stream *stream = NULL;
    CALL(hipStreamCreate(&stream));
    return stream;
}

static void launch(const char *kernel, struct stream *stream, void **parameters)
{
    int at = 0;
    while (at < KERNELS - 1 && strcmp(names[at], kernel) != 0)
        at++;
    CALL(hipLaunchKernel(&kernels[at], (struct dim3){1, 2, 3}, (struct dim3){4, 5, 6}, parameters,
                         7, stream));
}

void runtime_launch_kernel(const char *kernel, struct stream *stream, uint64_t ns)
{
    launch(kernel, stream, (void *[]){&ns});
}

void runtime_launch_pack(struct stream *stream, uint64_t ns, uintptr_t buffer)
{
    launch("pack", stream, (void *[]){&ns, &buffer});
}

void runtime_launch_graph(struct stream *stream, uint64_t ns)
{
    static void *executable;
    if (executable == NULL) {
        void *graph = NULL;
        CALL(hipStreamBeginCapture(stream, 0));
        runtime_launch_kernel("stencil", stream, ns);
        CALL(hipStreamEndCapture(stream, &graph));
        CALL(hipGraphInstantiateWithFlags(&executable, graph, 0));
    }
    CALL(hipGraphLaunch(executable, stream));
}

void runtime_wait(struct stream *stream)
{
    CALL(hipStreamSynchronize(stream));
}

void runtime_wait_for_all(void)
{
    CALL(hipDeviceSynchronize());
}

uint64_t *runtime_event(void)
{
    uint64_t *event = NULL;
    CALL(hipEventCreate(&event));
    return event;
}

void runtime_record(uint64_t *event, struct stream *stream)
{
    CALL(hipEventRecord(event, stream));
}

void runtime_wait_for_event(uint64_t *event)
{
    CALL(hipEventSynchronize(event));
}

int runtime_is_busy(struct stream *stream)
{
    const int error = hipStreamQuery(stream);
    need(error == 0 || error == NOT_READY, "hipStreamQuery");
    return error == NOT_READY;
}

void runtime_copy(uintptr_t to, uintptr_t from, size_t bytes)
{
    CALL(hipMemcpy((void *)to, (const void *)from, bytes, AS_ADDRESSES_TELL));
}

void runtime_rows_from_device(void *to, uintptr_t from, size_t width, size_t height)
{
    CALL(hipMemcpy2D(to, width, (const void *)from, 2 * width, width, height, DEVICE_TO_HOST));
}

/* hipMemcpy3DParms in words. It begins behind a row and a plane. */
void runtime_box_to_device(uintptr_t to, const void *from, size_t width, size_t height,
                           size_t depth)
{
    size_t copy[20] = {[2] = 1, [3] = 1, [4] = (uintptr_t)from, [12] = to, [19] = HOST_TO_DEVICE};
    copy[5] = 2 * width;
    copy[6] = width;
    copy[7] = height;
    copy[13] = width;
    copy[14] = width;
    copy[15] = height;
    copy[16] = width;
    copy[17] = height;
    copy[18] = depth;
    CALL(hipMemcpy3D(copy));
}

void runtime_register(void *memory, size_t bytes)
{
    CALL(hipHostRegister(memory, bytes, 0));
}

void runtime_unregister(void *memory)
{
    CALL(hipHostUnregister(memory));
}

uintptr_t runtime_memory(size_t bytes)
{
    uintptr_t address = 0;
    CALL(hipMalloc(&address, bytes));
    return address;
}

void runtime_free(uintptr_t memory)
{
    CALL(hipFree(memory));
}

void *runtime_pinned(size_t bytes)
{
    void *memory = NULL;
    CALL(hipHostMalloc(&memory, bytes, 0));
    return memory;
}

void runtime_free_pinned(void *memory)
{
    CALL(hipHostFree(memory));
}

uintptr_t runtime_managed(size_t bytes)
{
    uintptr_t memory = 0;
    CALL(hipMallocManaged(&memory, bytes, 1));
    return memory;
}

void runtime_to_device(uintptr_t to, const void *from, size_t bytes)
{
    CALL(hipMemcpy((void *)to, from, bytes, HOST_TO_DEVICE));
}

void runtime_from_device(void *to, uintptr_t from, size_t bytes)
{
    CALL(hipMemcpy(to, (const void *)from, bytes, DEVICE_TO_HOST));
}
