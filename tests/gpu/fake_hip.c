/* A stand-in for HIP's library, libamdhip64.so: the device of fake_cuda.c under HIP's names. It is
 * the runtime and the driver in one, and programs are linked with it. A kernel is known by the
 * address of a function of the program, which gives its name before main(). */
#define EXPORT __attribute__((unused)) static
#include "fake_cuda.c" /* NOLINT(bugprone-suspicious-include) */

#define HIP __attribute__((visibility("default")))

enum { REGISTERED = 16 };
enum { HOST_TO_HOST = 0, HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3, TOLD = 4 };
struct dim3 {
    unsigned x, y, z;
};
static struct {
    const void *function;
    const char *name;
} registered[REGISTERED];
static int used_registered;

HIP void __hipRegisterFunction(void **modules, const void *function, char *device_function,
                               const char *name, unsigned limit, void *tid, void *bid, void *block,
                               void *grid, int *size);
void __hipRegisterFunction(void **modules, const void *function, char *device_function,
                           const char *name, unsigned limit, void *tid, void *bid, void *block,
                           void *grid, int *size)
{
    /* Ten arguments: each must arrive. */
    if (used_registered == REGISTERED || modules == NULL || device_function == NULL ||
        limit != 4294967295u || tid != NULL || bid != NULL || block != NULL || grid != NULL ||
        *size != 64)
        abort();
    registered[used_registered].function = function;
    registered[used_registered].name = name;
    used_registered++;
}

HIP const char *hipKernelNameRefByPtr(const void *function, struct stream *stream);
const char *hipKernelNameRefByPtr(const void *function, struct stream *stream)
{
    (void)stream;
    for (int i = 0; i < used_registered; i++)
        if (registered[i].function == function)
            return registered[i].name;
    return NULL;
}

HIP int hipInit(unsigned flags)
{
    return cuInit(flags);
}

HIP int hipStreamCreate(struct stream **stream)
{
    return cuStreamCreate(stream, 0);
}

HIP int hipLaunchKernel(const void *function, struct dim3 grid, struct dim3 block,
                        void **parameters, size_t shared, struct stream *stream)
{
    for (int i = 0; i < used_registered; i++)
        if (registered[i].function == function)
            return cuLaunchKernel((void *)(uintptr_t)registered[i].name, grid.x, grid.y, grid.z,
                                  block.x, block.y, block.z, (unsigned)shared, stream, parameters,
                                  NULL);
    return 98; /* hipErrorInvalidDeviceFunction */
}

HIP int hipStreamBeginCapture(struct stream *stream, int mode)
{
    return cuStreamBeginCapture_v2(stream, mode);
}

HIP int hipStreamEndCapture(struct stream *stream, uint64_t **graph)
{
    return cuStreamEndCapture(stream, graph);
}

HIP int hipGraphInstantiateWithFlags(uint64_t **executable, uint64_t *graph, uint64_t flags)
{
    return cuGraphInstantiateWithFlags(executable, graph, flags);
}

HIP int hipGraphLaunch(const uint64_t *graph, struct stream *stream)
{
    return cuGraphLaunch(graph, stream);
}

HIP int hipStreamSynchronize(struct stream *stream)
{
    return cuStreamSynchronize(stream);
}

HIP int hipEventCreate(uint64_t **event)
{
    return cuEventCreate(event, 0);
}

HIP int hipEventRecord(uint64_t *event, struct stream *stream)
{
    return cuEventRecord(event, stream);
}

HIP int hipEventSynchronize(uint64_t *event)
{
    return cuEventSynchronize(event);
}

HIP int hipStreamQuery(struct stream *stream)
{
    return cuStreamQuery(stream);
}

HIP int hipDeviceSynchronize(void)
{
    return cuCtxSynchronize();
}

HIP int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    switch (kind) {
    case HOST_TO_DEVICE:
        return cuMemcpyHtoD_v2((uintptr_t)to, from, bytes);
    case DEVICE_TO_HOST:
        return cuMemcpyDtoH_v2(to, (uintptr_t)from, bytes);
    default:
        return kind == HOST_TO_HOST || kind == DEVICE_TO_DEVICE || kind == TOLD
                   ? copy_blocking(bytes, 0)
                   : 1;
    }
}

/* Seven arguments, of which one is on the stack. */
HIP int hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                    size_t height, int kind)
{
    if (to == NULL || from == NULL || to_pitch < width || from_pitch < width)
        return 1;
    return hipMemcpy(to, from, width * height, kind);
}

/* hipMemcpy3DParms in words: width, height, depth and kind are the last four. */
HIP int hipMemcpy3D(const size_t *copy)
{
    return hipMemcpy((void *)copy[12], (const void *)copy[4], copy[16] * copy[17] * copy[18],
                     (int)copy[19]);
}

HIP int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct stream *stream)
{
    return kind == HOST_TO_DEVICE   ? cuMemcpyHtoDAsync_v2((uintptr_t)to, from, bytes, stream)
           : kind == DEVICE_TO_HOST ? cuMemcpyDtoHAsync_v2(to, (uintptr_t)from, bytes, stream)
                                    : 1;
}

HIP int hipMalloc(uintptr_t *address, size_t bytes)
{
    return cuMemAlloc_v2(address, bytes);
}

HIP int hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
    return cuMemHostAlloc(memory, bytes, flags);
}

HIP int hipMallocManaged(uintptr_t *memory, size_t bytes, unsigned flags)
{
    return cuMemAllocManaged(memory, bytes, flags);
}

HIP int hipHostRegister(void *memory, size_t bytes, unsigned flags)
{
    return cuMemHostRegister_v2(memory, bytes, flags);
}

HIP int hipHostUnregister(void *memory)
{
    return cuMemHostUnregister(memory);
}

HIP int hipFree(uintptr_t address)
{
    return cuMemFree_v2(address);
}

HIP int hipHostFree(void *memory)
{
    return cuMemFreeHost(memory);
}

/* As HIP 6: memory on the device is 2, of the host 1; numbers of attributes are CUDA's. */
HIP int hipPointerGetAttribute(void *data, int attribute, uintptr_t address)
{
    return cuPointerGetAttribute(data, attribute, address);
}
