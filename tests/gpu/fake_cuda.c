/* A stand-in for NVIDIA's driver library, libcuda.so.1: the few functions that the tests call, with
 * times that the tests say. There is no GPU.
 *
 * A stream is a queue, of which only the end counts: a kernel takes as long as its first parameter
 * says, a copy as long as BYTES_PER_S makes it, and whoever waits comes back when the queue has
 * ended, never before. With FAKE_CUDA_SLEEPS a waiting thread sleeps, else it spins, as CUDA does.
 * Memory of the device are addresses that nobody can read; pinned and managed memory is as
 * malloc()'s, but is known. A graph has one kernel. Asked for addresses, it answers as the driver
 * does: versions of a name, and the forms for a default stream of each thread, are functions of
 * their own. As the driver it refuses all calls in a child of fork(), and whoever asks or waits
 * while a stream is captured ends the capture. It counts calls that a tool has no business to make.
 */
#define _GNU_SOURCE
#include "fake_cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { STREAMS = 8192, BLOCKS = 64 };
static struct stream {
    uint64_t end_ns;
    int is_gone; /* the next one gets its place */
    int is_captured;
    uint64_t captured_ns; /* of the graph that is made */
    const char *held;     /* a kernel that ends when a test says so; NULL = none */
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
static int callbacks; /* that have not returned */
static __thread struct stream *own_stream;
static __thread void *current;

#include "fake_cuda_counts.h"

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
    if ((uintptr_t)stream <= 1)
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

/* CU_STREAM_LEGACY is 1, CU_STREAM_PER_THREAD 2. */
static struct stream *stream_at(struct stream *stream, int is_of_thread)
{
    const uintptr_t handle = (uintptr_t)stream;
    if (handle > 2)
        return stream;
    if (handle == 1 || (handle == 0 && !is_of_thread))
        return &streams[0];
    pthread_mutex_lock(&lock);
    if (own_stream == NULL && used_streams < STREAMS)
        own_stream = &streams[used_streams++];
    pthread_mutex_unlock(&lock);
    return own_stream;
}

static int wait_for_stream(struct stream *stream, int is_of_thread)
{
    const int error = error_of(FAKE_WAITS);
    if (error != 0)
        return error;
    stream = stream_at(stream, is_of_thread);
    while (__atomic_load_n(&stream->held, __ATOMIC_ACQUIRE) != NULL)
        wait_until(now_ns() + 50000);
    wait_until(stream->end_ns);
    while (__atomic_load_n(&callbacks, __ATOMIC_ACQUIRE) != 0)
        ;
    return 0;
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

EXPORT int cuInit(unsigned flags)
{
    if (is_refused(FAKE_CONTEXTS))
        return NOT_INITIALIZED;
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
    return is_refused(FAKE_CONTEXTS) ? NOT_INITIALIZED : 0;
}

EXPORT int cuCtxSetCurrent(void *context)
{
    current = context;
    return is_refused(FAKE_CONTEXTS) ? NOT_INITIALIZED : context == NULL;
}

EXPORT int cuCtxGetDevice(int *device)
{
    *device = 0;
    if (is_in_child())
        return NOT_INITIALIZED;
    return current != NULL ? 0 : NO_CONTEXT;
}

/* Of the machine: a test says which of its devices is the GPU. */
EXPORT int cuDeviceGetPCIBusId(char *id, int bytes, int device)
{
    const char *told = getenv("FAKE_CUDA_PCI");
    if (told == NULL || device != 0 || (size_t)bytes <= strlen(told))
        return 1;
    memcpy(id, told, strlen(told) + 1);
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
    int at = 1;
    pthread_mutex_lock(&lock);
    while (at < used_streams && !streams[at].is_gone)
        at++;
    const int is_there = at < STREAMS;
    if (is_there)
        streams[at] = (struct stream){.end_ns = 0};
    used_streams += is_there && at == used_streams;
    pthread_mutex_unlock(&lock);
    *stream = &streams[at];
    return is_there ? 0 : 2;
}

/* Its work goes on. */
EXPORT int cuStreamDestroy_v2(struct stream *stream)
{
    stream->is_gone = 1;
    return 0;
}

EXPORT int cuStreamSynchronize(struct stream *stream)
{
    return wait_for_stream(stream, 0);
}

EXPORT int cuStreamSynchronize_ptsz(struct stream *stream)
{
    return wait_for_stream(stream, 1);
}

EXPORT int cuStreamQuery(struct stream *stream)
{
    const int error = error_of(FAKE_QUESTIONS);
    spin(QUERY_NS);
    if (error != 0)
        return error;
    return now_ns() < stream_at(stream, 0)->end_ns ? NOT_READY : 0;
}

EXPORT int cuCtxSynchronize(void)
{
    const int error = error_of(FAKE_WAITS);
    if (error == 0)
        wait_until(end_of_all());
    return error;
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
    const int error = error_of(FAKE_WAITS);
    if (error == 0)
        wait_until(*event);
    return error;
}

EXPORT int cuEventQuery(const uint64_t *event)
{
    const int error = error_of(FAKE_QUESTIONS);
    if (error != 0)
        return error;
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
    enqueue(stream_at(stream, 0), *(uint64_t *)parameters[0],
            (struct device_work){.kernel = kernel_named(function)});
    return 0;
}

EXPORT int cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, struct stream *stream,
                               void **parameters, void **extra)
{
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream_at(stream, 1),
                          parameters, extra);
}

/* Runs on a thread of the driver's own, behind what is in the stream now. */
struct callback {
    void (*function)(void *);
    void *data;
    uint64_t begin_ns;
};

static void *run_callback(void *given)
{
    struct callback *callback = given;
    wait_until(callback->begin_ns);
    callback->function(callback->data);
    free(callback);
    __atomic_fetch_sub(&callbacks, 1, __ATOMIC_RELEASE);
    return NULL;
}

EXPORT int cuLaunchHostFunc(struct stream *stream, void (*function)(void *), void *data)
{
    pthread_t thread;
    struct callback *callback = malloc(sizeof *callback);
    *callback = (struct callback){function, data, stream_at(stream, 0)->end_ns};
    __atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED);
    return pthread_create(&thread, NULL, run_callback, callback) != 0 ||
           pthread_detach(thread) != 0;
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
    if (stream->is_captured)
        return 1;
    stream->is_captured = 1;
    stream->captured_ns = 0;
    is_capture_broken = 0;
    __atomic_fetch_add(&captures, 1, __ATOMIC_RELAXED);
    return 0;
}

EXPORT int cuStreamEndCapture(struct stream *stream, uint64_t **graph)
{
    *graph = malloc(sizeof **graph);
    **graph = stream->captured_ns;
    stream->is_captured = 0;
    __atomic_fetch_sub(&captures, 1, __ATOMIC_RELAXED);
    return is_capture_broken ? CAPTURE_INVALIDATED : 0;
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

/* As of CUDA 13. */
EXPORT int cuMemcpyBatchAsync_v2(const uintptr_t *to, const uintptr_t *from, const size_t *bytes,
                                 size_t count, const void *attributes, const size_t *indices,
                                 size_t attribute_count, struct stream *stream)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bytes[i];
    if (to == NULL || from == NULL || attributes == NULL || indices == NULL || attribute_count != 1)
        return 1;
    enqueue(stream, copy_ns(sum), (struct device_work){.copy_kind = FROM_DEVICE, .bytes = sum});
    return 0;
}

/* CUDA_MEMCPY2D in words: width and height are the last two. */
EXPORT int cuMemcpy2D_v2(const size_t *copy)
{
    return copy_blocking(copy[14] * copy[15], FROM_DEVICE);
}

/* CUDA_MEMCPY3D: width, height and depth are. */
EXPORT int cuMemcpy3D_v2(const size_t *copy)
{
    return copy_blocking(copy[22] * copy[23] * copy[24], TO_DEVICE);
}

#include "fake_cuda_memory.h"

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

/* As some drivers do: it must get its own function. */
EXPORT int fake_cuda_asks_itself(void)
{
    void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *own = (void *)(uintptr_t)cuInit;
    const int is_own =
        self != NULL && dlsym(self, "cuInit") == own && dlsym(RTLD_DEFAULT, "cuInit") == own;
    if (self != NULL)
        dlclose(self);
    return is_own;
}

#include "fake_cuda_held.h"

#include "fake_cuda_addresses.h"
