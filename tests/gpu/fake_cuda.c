/* A stand-in for NVIDIA's driver library, libcuda.so.1: the few functions that the tests call, with
 * times that the tests say. There is no GPU.
 *
 * A stream is a queue, of which only the end counts: a kernel takes as long as its first parameter
 * says, a copy as long as BYTES_PER_S makes it, and whoever waits comes back when the queue has
 * ended, never before. With FAKE_CUDA_SLEEPS a waiting thread sleeps, else it spins, as CUDA does.
 * Memory of the device are addresses that nobody can read; pinned and managed memory is as
 * malloc()'s, but is known. A graph has one kernel. Asked for addresses, it answers as the driver
 * does: versions of a name, and the forms for a default stream of each thread, are functions of
 * their own. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { STREAMS = 64, BLOCKS = 64 };
static struct stream {
    uint64_t end_ns;
    int is_captured;
    uint64_t captured_ns; /* of the graph that is made */
} streams[STREAMS];
static struct block {
    uintptr_t begin;
    size_t bytes;
    enum { PINNED = 1, DEVICE = 2, MANAGED = 3 } kind;
} blocks[BLOCKS];
static int used_streams = 1;
static int used_blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sync_function *inner;
static work_function *observer;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_until(uint64_t end_ns)
{
    const int sleeps = getenv("FAKE_CUDA_SLEEPS") != NULL;
    for (uint64_t now; (now = now_ns()) < end_ns;)
        if (sleeps) {
            struct timespec rest = {0, (long)(end_ns - now < 999999999 ? end_ns - now : 999999999)};
            nanosleep(&rest, NULL);
        }
}

static void spin(uint64_t ns)
{
    const uint64_t end = now_ns() + ns;
    while (now_ns() < end)
        ;
}

static void enqueue(struct stream *stream, uint64_t ns, struct device_work work)
{
    pthread_mutex_lock(&lock);
    const uint64_t now = now_ns();
    if (stream == NULL)
        stream = &streams[0];
    if (stream->is_captured) {
        stream->captured_ns += ns;
    } else {
        work.start_ns = stream->end_ns > now ? stream->end_ns : now;
        work.end_ns = stream->end_ns = work.start_ns + ns;
        if (observer != NULL)
            observer(&work);
    }
    pthread_mutex_unlock(&lock);
}

static const char *kernel_named(const void *function)
{
    return function != NULL ? function : "nameless";
}

static uint64_t end_of_all(void)
{
    uint64_t end = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < used_streams; i++)
        if (streams[i].end_ns > end)
            end = streams[i].end_ns;
    pthread_mutex_unlock(&lock);
    return end;
}

static uint64_t copy_ns(size_t bytes)
{
    return (uint64_t)((double)bytes * 1e9 / BYTES_PER_S);
}

/* ---- the driver's functions ------------------------------------------------------------------ */

#ifndef EXPORT /* fake_hip.c has its own */
#define EXPORT __attribute__((visibility("default")))
#endif
EXPORT int cuInit(unsigned flags)
{
    return flags == 0 ? 0 : 1;
}

/* New enough for CUDA's runtime, which then asks for tables that only NVIDIA's driver has. */
EXPORT int cuDriverGetVersion(int *version)
{
    *version = 99000;
    return 0;
}

EXPORT int cuModuleLoadData(void **module, const void *image)
{
    (void)image;
    *module = &streams;
    spin(LOAD_NS);
    return 0;
}

/* A kernel is its name. */
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name)
{
    if (module != (void *)&streams)
        return 1;
    *function = strdup(name);
    return 0;
}

/* A library's kernel has a handle of its own, as with the runtime of CUDA 12. */
EXPORT int cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    return cuModuleGetFunction(kernel, library, name);
}

EXPORT int cuKernelGetFunction(void **function, void *kernel)
{
    *function = strdup(kernel);
    return 0;
}

/* All have the time that they take; pack has a buffer, too. */
EXPORT int cuFuncGetParamInfo(const char *function, size_t index, size_t *offset, size_t *bytes)
{
    *offset = 8 * index;
    *bytes = 8;
    return index > (strcmp(function, "pack") == 0);
}

EXPORT int cuStreamIsCapturing(const struct stream *stream, int *status)
{
    *status = stream != NULL && stream->is_captured;
    return 0;
}

EXPORT int cuDeviceGet(int *device, int number)
{
    *device = number;
    return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = &streams[device];
    return 0;
}

EXPORT int cuCtxSetCurrent(void *context)
{
    return context == NULL;
}

EXPORT int cuCtxGetDevice(int *device)
{
    *device = 0;
    return 0;
}

EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(16 * device + i);
    return 0;
}

EXPORT int cuStreamCreate(struct stream **stream, unsigned flags)
{
    (void)flags;
    if (used_streams == STREAMS)
        return 2;
    *stream = &streams[used_streams++];
    return 0;
}

EXPORT int cuStreamSynchronize(struct stream *stream)
{
    wait_until((stream != NULL ? stream : &streams[0])->end_ns);
    return 0;
}

EXPORT int cuStreamSynchronize_ptsz(struct stream *stream)
{
    wait_until((stream != NULL ? stream : &streams[0])->end_ns);
    return 0;
}

EXPORT int cuStreamQuery(struct stream *stream)
{
    spin(QUERY_NS);
    return now_ns() < (stream != NULL ? stream : &streams[0])->end_ns ? NOT_READY : 0;
}

EXPORT int cuCtxSynchronize(void)
{
    wait_until(end_of_all());
    return 0;
}

EXPORT int cuEventCreate(uint64_t **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return 0;
}

EXPORT int cuEventRecord(uint64_t *event, struct stream *stream)
{
    *event = (stream != NULL ? stream : &streams[0])->end_ns;
    return 0;
}

EXPORT int cuEventSynchronize(const uint64_t *event)
{
    wait_until(*event);
    return 0;
}

EXPORT int cuEventQuery(const uint64_t *event)
{
    return now_ns() < *event ? NOT_READY : 0;
}

/* Eleven arguments, five of them on the stack: each must arrive. */
EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, struct stream *stream,
                          void **parameters, void **extra)
{
    if (gx != 1 || gy != 2 || gz != 3 || bx != 4 || by != 5 || bz != 6 || shared != 7 ||
        extra != NULL)
        return 1;
    spin(LAUNCH_NS);
    enqueue(stream, *(uint64_t *)parameters[0],
            (struct device_work){.kernel = kernel_named(function)});
    return 0;
}

EXPORT int cuLaunchKernelEx(const uintptr_t *config, void *function, void **parameters,
                            void **extra)
{
    if (extra != NULL)
        return 1;
    spin(LAUNCH_NS);
    enqueue((struct stream *)config[4], *(uint64_t *)parameters[0],
            (struct device_work){.kernel = kernel_named(function)});
    return 0;
}

EXPORT int cuStreamBeginCapture_v2(struct stream *stream, int mode)
{
    (void)mode;
    stream->is_captured = 1;
    stream->captured_ns = 0;
    return 0;
}

EXPORT int cuStreamEndCapture(struct stream *stream, uint64_t **graph)
{
    *graph = malloc(sizeof **graph);
    **graph = stream->captured_ns;
    stream->is_captured = 0;
    return 0;
}

EXPORT int cuGraphInstantiateWithFlags(uint64_t **executable, uint64_t *graph, uint64_t flags)
{
    *executable = graph;
    return flags != 0;
}

EXPORT int cuGraphLaunch(const uint64_t *graph, struct stream *stream)
{
    spin(LAUNCH_NS);
    enqueue(stream, *graph, (struct device_work){.kernel = "stencil"});
    return 0;
}

/* As the driver, a copy that blocks waits for what was launched before. It asks its own other
 * functions, of which a test may replace one by what it got for it. */
enum { TO_DEVICE = 1, FROM_DEVICE = 2 }; /* as CUPTI numbers them */

static int copy_blocking(size_t bytes, int kind)
{
    if (inner != NULL)
        inner(NULL);
    wait_until(end_of_all());
    enqueue(NULL, copy_ns(bytes),
            (struct device_work){.copy_kind = kind, .is_pageable = 1, .bytes = bytes});
    spin(copy_ns(bytes));
    return 0;
}

EXPORT int cuMemcpyDtoH_v2(void *to, uintptr_t from, size_t bytes)
{
    (void)from;
    memset(to, 1, bytes);
    return copy_blocking(bytes, FROM_DEVICE);
}

EXPORT int cuMemcpyHtoD_v2(uintptr_t to, const void *from, size_t bytes)
{
    (void)to;
    return from == NULL ? 1 : copy_blocking(bytes, TO_DEVICE);
}

EXPORT int cuMemcpyHtoDAsync_v2(uintptr_t to, const void *from, size_t bytes, struct stream *stream)
{
    (void)to;
    (void)from;
    enqueue(stream, copy_ns(bytes), (struct device_work){.copy_kind = TO_DEVICE, .bytes = bytes});
    return 0;
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t bytes, struct stream *stream)
{
    (void)from;
    memset(to, 1, bytes);
    enqueue(stream, copy_ns(bytes), (struct device_work){.copy_kind = FROM_DEVICE, .bytes = bytes});
    return 0;
}

EXPORT int cuMemcpy(uintptr_t to, uintptr_t from, size_t bytes)
{
    (void)to;
    (void)from;
    return copy_blocking(bytes, 0);
}

/* CUDA_MEMCPY2D in words: width and height are the last two. */
EXPORT int cuMemcpy2D_v2(const size_t *copy)
{
    return copy_blocking(copy[14] * copy[15], FROM_DEVICE);
}

static int take_memory(uintptr_t *address, size_t bytes, int protection, int kind)
{
    pthread_mutex_lock(&lock);
    void *memory = used_blocks < BLOCKS
                       ? mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                       : MAP_FAILED;
    if (memory != MAP_FAILED) {
        blocks[used_blocks] = (struct block){(uintptr_t)memory, bytes, kind};
        used_blocks++;
        *address = (uintptr_t)memory;
    }
    pthread_mutex_unlock(&lock);
    return memory != MAP_FAILED ? 0 : 2;
}

EXPORT int cuMemAlloc_v2(uintptr_t *address, size_t bytes)
{
    const int is_readable = getenv("FAKE_CUDA_READABLE") != NULL; /* as a GPU-aware MPI reads it */
    return take_memory(address, bytes, is_readable ? PROT_READ | PROT_WRITE : PROT_NONE, DEVICE);
}

EXPORT int cuMemAllocManaged(uintptr_t *address, size_t bytes, unsigned flags)
{
    return flags != 1 ? 1 : take_memory(address, bytes, PROT_READ | PROT_WRITE, MANAGED);
}

EXPORT int cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    uintptr_t memory = 0;
    const int error = flags != 0 ? 1 : take_memory(&memory, bytes, PROT_READ | PROT_WRITE, PINNED);
    *address = (void *)memory;
    return error;
}

EXPORT int cuMemFree_v2(uintptr_t address)
{
    for (int i = 0; i < used_blocks; i++)
        if (blocks[i].begin == address && blocks[i].bytes != 0) {
            wait_until(end_of_all());
            munmap((void *)address, blocks[i].bytes);
            blocks[i].bytes = 0;
            return 0;
        }
    return 1;
}

EXPORT int cuMemFreeHost(void *address)
{
    return cuMemFree_v2((uintptr_t)address);
}

/* CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE; managed memory is the device's, as in the driver. */
EXPORT int cuPointerGetAttribute(void *data, int attribute, uintptr_t address)
{
    enum { MEMORY_TYPE = 2, IS_MANAGED = 8, HOST_TYPE = 1, DEVICE_TYPE = 2 };
    for (int i = 0; i < used_blocks; i++)
        if (address - blocks[i].begin < blocks[i].bytes) {
            const int type = blocks[i].kind == PINNED ? HOST_TYPE : DEVICE_TYPE;
            *(unsigned *)data =
                attribute == MEMORY_TYPE ? (unsigned)type : blocks[i].kind == MANAGED;
            return attribute == MEMORY_TYPE || attribute == IS_MANAGED ? 0 : 1;
        }
    return 1;
}

/* What a copy that blocks calls first; NULL = nothing. */
EXPORT void fake_cuda_inner(sync_function *function)
{
    inner = function;
}

/* Who learns of all work from now on. */
EXPORT void fake_cuda_observe(work_function *function)
{
    observer = function;
}

/* ---- their addresses ------------------------------------------------------------------------- */

EXPORT int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);
EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                               int *status);

typedef void any(void);
#define FIRST 2000
#define SECOND 3020
static const struct version {
    const char *name;
    int since;
    uint64_t flags; /* PER_THREAD, or 0 */
    any *function;
} versions[] = {
    {"cuInit", FIRST, 0, (any *)cuInit},
    {"cuDriverGetVersion", 2020, 0, (any *)cuDriverGetVersion},
    {"cuModuleLoadData", FIRST, 0, (any *)cuModuleLoadData},
    {"cuModuleGetFunction", FIRST, 0, (any *)cuModuleGetFunction},
    {"cuLibraryGetKernel", 12000, 0, (any *)cuLibraryGetKernel},
    {"cuKernelGetFunction", 12000, 0, (any *)cuKernelGetFunction},
    {"cuDeviceGet", FIRST, 0, (any *)cuDeviceGet},
    {"cuDevicePrimaryCtxRetain", 7000, 0, (any *)cuDevicePrimaryCtxRetain},
    {"cuCtxSetCurrent", 4000, 0, (any *)cuCtxSetCurrent},
    {"cuLaunchKernelEx", 11060, 0, (any *)cuLaunchKernelEx},
    {"cuGraphLaunch", 10000, 0, (any *)cuGraphLaunch},
    {"cuGraphInstantiateWithFlags", 11040, 0, (any *)cuGraphInstantiateWithFlags},
    {"cuStreamBeginCapture", 10010, 0, (any *)cuStreamBeginCapture_v2},
    {"cuStreamEndCapture", 10000, 0, (any *)cuStreamEndCapture},
    {"cuMemcpyDtoHAsync", SECOND, 0, (any *)cuMemcpyDtoHAsync_v2},
    {"cuMemAllocManaged", 6000, 0, (any *)cuMemAllocManaged},
    {"cuMemHostAlloc", FIRST, 0, (any *)cuMemHostAlloc},
    {"cuMemFreeHost", FIRST, 0, (any *)cuMemFreeHost},
    {"cuStreamCreate", FIRST, 0, (any *)cuStreamCreate},
    {"cuStreamSynchronize", FIRST, 0, (any *)cuStreamSynchronize},
    {"cuStreamSynchronize", FIRST, PER_THREAD, (any *)cuStreamSynchronize_ptsz},
    {"cuStreamQuery", FIRST, 0, (any *)cuStreamQuery},
    {"cuCtxSynchronize", FIRST, 0, (any *)cuCtxSynchronize},
    {"cuEventCreate", FIRST, 0, (any *)cuEventCreate},
    {"cuEventRecord", FIRST, 0, (any *)cuEventRecord},
    {"cuEventSynchronize", FIRST, 0, (any *)cuEventSynchronize},
    {"cuEventQuery", FIRST, 0, (any *)cuEventQuery},
    {"cuLaunchKernel", FIRST, 0, (any *)cuLaunchKernel},
    {"cuMemcpyDtoH", SECOND, 0, (any *)cuMemcpyDtoH_v2},
    {"cuMemcpyHtoD", SECOND, 0, (any *)cuMemcpyHtoD_v2},
    {"cuMemcpyHtoDAsync", SECOND, 0, (any *)cuMemcpyHtoDAsync_v2},
    {"cuMemcpy", FIRST, 0, (any *)cuMemcpy},
    {"cuMemcpy2D", SECOND, 0, (any *)cuMemcpy2D_v2},
    {"cuMemAlloc", SECOND, 0, (any *)cuMemAlloc_v2},
    {"cuMemFree", SECOND, 0, (any *)cuMemFree_v2},
    {"cuPointerGetAttribute", FIRST, 0, (any *)cuPointerGetAttribute},
    {"cuGetProcAddress", FIRST, 0, (any *)cuGetProcAddress},
    {"cuGetProcAddress", 12000, 0, (any *)cuGetProcAddress_v2},
};

/* The latest version that is not newer than asked for. */
static void *find(const char *name, int version, uint64_t flags)
{
    const struct version *best = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (strcmp(versions[i].name, name) == 0 && versions[i].since <= version &&
            (versions[i].flags == 0 || (versions[i].flags & flags) != 0))
            best = &versions[i];
    return best != NULL ? (void *)(uintptr_t)best->function : NULL;
}

int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    *function = find(name, version, flags);
    return *function != NULL ? 0 : NOT_FOUND;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    if (status != NULL)
        *status = 0;
    return cuGetProcAddress(name, function, version, flags);
}
