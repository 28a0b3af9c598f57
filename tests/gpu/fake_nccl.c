/* See fake_nccl.h. Built without debug data, as NCCL is. */
#define _GNU_SOURCE
#include "fake_nccl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include "runtime.h"

#define MS 1000000ull
#define EXPORT __attribute__((visibility("default")))
enum { COLLECTIVE = 2, KERNEL = 64, KERNEL_STOPS = 22 };

typedef int init_function(void **context, uint64_t id, int *mask, const char *name, int nodes,
                          int ranks, int rank, void *log);
typedef int kernel_function(void **function, void *module, const char *name);
typedef int launch_function(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, struct stream *, void **, void **);
typedef uint64_t hold_function(struct stream *stream, const char *kernel);

static struct {
    const char *name;
    init_function *init;
    int (*start)(void *context, void **handle, void *event);
    int (*stop)(void *handle);
    int (*change)(void *handle, int state, void *arguments);
    int (*finish)(void *context);
} * plugin;
static int rank, ranks, mask;
static void *context;
static uint64_t waited_ns;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec;
}

static void rest_until(uint64_t end_ns)
{
    for (uint64_t now; (now = now_ns()) < end_ns;) {
        const struct timespec rest = {0, (long)(end_ns - now < 999 * MS ? end_ns - now : 999 * MS)};
        nanosleep(&rest, NULL);
    }
}

static uint64_t hold(struct stream *stream, const char *kernel)
{
    hold_function *function = (hold_function *)(uintptr_t)dlsym(runtime_driver(), "fake_cuda_hold");
    need(function != NULL, "fake_cuda_hold");
    return function(stream, kernel);
}

EXPORT void fake_nccl_launch(void *module, const char *kernel, struct stream *stream, uint64_t ns)
{
    void *function = NULL;
    void *parameters[] = {&ns};
    need(((kernel_function *)(uintptr_t)runtime_function("cuModuleGetFunction", 0))(
             &function, module, kernel) == 0,
         kernel);
    need(((launch_function *)(uintptr_t)runtime_function("cuLaunchKernel", 0))(
             function, 1, 2, 3, 4, 5, 6, 7, stream, parameters, NULL) == 0,
         "cuLaunchKernel");
}

EXPORT void fake_nccl_open(int own_rank, int all_ranks)
{
    const char *path = getenv("NCCL_PROFILER_PLUGIN");
    void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
    rank = own_rank;
    ranks = all_ranks;
    need(library != NULL, "NCCL_PROFILER_PLUGIN");
    plugin = dlsym(library, "ncclProfiler_v5");
    need(plugin != NULL, "ncclProfiler_v5");
    need(plugin->init(&context, 0x3f2a, &mask, "training", 1, ranks, rank, NULL) == 0, "init");
}

EXPORT void fake_nccl_close(void)
{
    plugin->finish(context);
}

/* On the thread that calls NCCL. */
static void *begin_collective(uint32_t number)
{
    uint64_t event[16] = {COLLECTIVE, 0, (uint32_t)rank, number, (uintptr_t) "AllReduce"};
    void *call = NULL;
    event[7] = COUNT;
    event[9] = (uintptr_t) "ncclFloat32";
    need(plugin->start(context, &call, event) == 0, "start");
    plugin->stop(call);
    return call;
}

static uint64_t last_arrival(const uint64_t *arrived)
{
    uint64_t last_ns = 0;
    for (int i = 0; i < ranks; i++) {
        uint64_t come_ns = 0;
        while ((come_ns = __atomic_load_n(&arrived[i], __ATOMIC_ACQUIRE)) == 0)
            rest_until(now_ns() + MS / 10);
        last_ns = come_ns > last_ns ? come_ns : last_ns;
    }
    return last_ns;
}

/* On a thread of NCCL's own: sees the kernel begin and end. */
static void *follow(void *given)
{
    struct collective *collective = given;
    uint64_t event[16] = {KERNEL, (uintptr_t)collective->call, (uint32_t)rank};
    void *part = NULL;
    rest_until(collective->begin_ns);
    const uint64_t come_ns = event[4] = now_ns();
    need(plugin->start(context, &part, event) == 0, "start of a kernel");
    __atomic_store_n(&collective->arrived[rank], come_ns, __ATOMIC_RELEASE);
    waited_ns = last_arrival(collective->arrived) - come_ns;
    rest_until(now_ns() + TRANSFER_MS * MS);
    uint64_t device_ns = now_ns();
    plugin->change(part, KERNEL_STOPS, &device_ns);
    plugin->stop(part);
    hold(collective->stream, NULL);
    return NULL;
}

EXPORT void fake_nccl_all_reduce(struct collective *collective)
{
    collective->call = begin_collective(collective->number);
    need(collective->call != NULL || mask == 0, "a call is not followed");
    fake_nccl_launch(collective->module, "ncclDevKernel_AllReduce_Sum_f32", collective->stream, 0);
    collective->begin_ns = hold(collective->stream, "ncclDevKernel_AllReduce_Sum_f32");
    need(pthread_create(&collective->thread, NULL, follow, collective) == 0, "a thread");
}

EXPORT uint64_t fake_nccl_waited(struct collective *collective)
{
    pthread_join(collective->thread, NULL);
    return waited_ns;
}

__attribute__((noinline)) static void counted(uint32_t calls)
{
    for (uint32_t i = 0; i < calls; i++) {
        void *part = NULL, *call = begin_collective(i);
        uint64_t event[16] = {KERNEL, (uintptr_t)call, (uint32_t)rank, 0, i};
        uint64_t device_ns = i + 1;
        plugin->start(context, &part, event);
        plugin->change(part, KERNEL_STOPS, &device_ns);
        plugin->stop(part);
    }
}

EXPORT void fake_nccl_count(uint32_t calls)
{
    counted(calls);
    __asm__ volatile(""); /* no tail call */
}
