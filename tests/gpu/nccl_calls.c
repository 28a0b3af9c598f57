/* Calls the profiler plugin of NCCL as NCCL does: finds ncclProfiler_vN in the file that
 * NCCL_PROFILER_PLUGIN names and tells it of communicators, collectives and messages. There is no
 * NCCL. Times are those of sleeps between the calls.
 *
 *   nccl_calls calls N   what plugin version N can be told, all of it
 *   nccl_calls late      rank 1 comes last to three of four collectives
 *   nccl_calls many      10,000 communicators
 *   nccl_calls bad       wrong handles, no descriptors, parts without calls, stops without begins
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    GROUP = 1,
    COLLECTIVE = 2,
    MESSAGE = 4,
    PROXY = 8,
    KERNEL = 64,
    COPIED = 4096,
    KERNEL_STOPS = 22,
    STEPS = 8,
    COUNT = 1000,
    MANY = 10000
};

typedef int init_old(void **context, int *mask);
typedef int init_v4(void **context, int *mask, const char *name, uint64_t id, int nodes, int ranks,
                    int rank, void *log);
typedef int init_v5(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks,
                    int rank, void *log);
static struct {
    const char *name;
    void *init;
    int (*start)(void *context, void **handle, void *event);
    int (*stop)(void *handle);
    int (*change)(void *handle, int state, void *arguments);
    int (*finish)(void *context);
} * plugin;

/* A descriptor in words: type, parent, rank, and what is behind them. */
static uint64_t event[32];
static int version, rank, ranks, mask;
static const uint64_t comm_id = 0x3f2a0000beef;
static uint64_t told_id = 0x3f2a0000beef; /* by events, up to version 3 */

static void need(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "nccl_calls: %s\n", what);
    exit(3);
}

static void rest(double seconds)
{
    const struct timespec time = {0, (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

static void *open_comm(uint64_t id, const char *name)
{
    void *context = NULL;
    int error = 0;
    if (version < 4)
        error = ((init_old *)plugin->init)(&context, &mask);
    else if (version == 4)
        error = ((init_v4 *)plugin->init)(&context, &mask, name, id, 1, ranks, rank, NULL);
    else
        error = ((init_v5 *)plugin->init)(&context, id, &mask, name, 1, ranks, rank, NULL);
    need(error == 0, "init");
    return context;
}

static void *start(void *context, uint64_t type, void *parent)
{
    void *handle = &event;
    /* Up to version 4 the type is one byte, and anything may stand behind it. */
    event[0] = version < 5 ? type | 0xabcdef00 : type;
    event[1] = (uintptr_t)parent;
    event[2] = (uint32_t)rank;
    need(plugin->start(context, &handle, event) == 0, "start");
    return handle;
}

static void *start_collective(void *context, uint64_t type, uint64_t number)
{
    uint64_t *rest_of_it = event + 3;
    memset(event, 0, sizeof event);
    if (version < 4) {
        *rest_of_it++ = (uintptr_t) "training";
        *rest_of_it++ = told_id;
    }
    rest_of_it[0] = number;
    rest_of_it[1] = version == 1 ? 4 : (uintptr_t) "AllReduce";
    rest_of_it[4] = COUNT;
    if (version == 1)
        ((uint8_t *)(rest_of_it + 5))[4] = 7; /* float, behind the root */
    else
        rest_of_it[6] = (uintptr_t) "ncclFloat32";
    return start(context, type, NULL);
}

static void *start_message(void *context)
{
    uint64_t *rest_of_it = event + 3;
    memset(event, 0, sizeof event);
    if (version < 4) {
        *rest_of_it++ = (uintptr_t) "training";
        *rest_of_it++ = told_id;
    }
    rest_of_it[0] = version == 1 ? 6 : (uintptr_t) "Send";
    rest_of_it[2] = version == 1 ? 8 : (uintptr_t) "ncclFloat64";
    rest_of_it[3] = COUNT;
    rest_of_it[4] = (uint32_t)(ranks - 1 - rank); /* to whom */
    return start(context, MESSAGE, NULL);
}

/* A part of a call, on the GPU or the network: it ends after the call is in the queue. */
static void run_part(void *context, void *call, double seconds)
{
    const uint64_t type = (mask & KERNEL) != 0 ? KERNEL : PROXY;
    uint64_t device_ns = 5000000000u;
    memset(event, 0, sizeof event);
    event[4] = device_ns;
    void *part = start(context, type, call);
    rest(seconds);
    device_ns += (uint64_t)(1e9 * seconds);
    if (type == KERNEL)
        plugin->change(part, KERNEL_STOPS, &device_ns);
    plugin->stop(part);
}

static void all_calls(void)
{
    void *context = open_comm(comm_id, "training");
    need((mask & COLLECTIVE) != 0 && (mask & MESSAGE) != 0, "calls are not asked for");
    for (int step = 0; step < STEPS; step++) {
        void *group = start(context, GROUP, NULL);
        need(group == NULL, "groups are not followed");
        void *call = start_collective(context, COLLECTIVE, (uint64_t)step);
        need(call != NULL, "collective");
        plugin->stop(call);
        run_part(context, call, 0.010);
        void *message = start_message(context);
        plugin->stop(message);
        run_part(context, message, 0.002);
        if (version == 6) {
            void *copied = start_collective(context, COPIED, (uint64_t)step);
            rest(0.001);
            plugin->stop(copied);
        }
    }
    plugin->finish(context);
}

/* Rank 1 comes 20 ms after rank 0, but each fourth time 20 ms before it. */
static void late(void)
{
    void *context = open_comm(comm_id, NULL);
    for (int step = 0; step < 4 * STEPS; step++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const int is_late = (rank == 1) == (step % 4 != 0);
        if (is_late)
            rest(0.020);
        void *call = start_collective(context, COLLECTIVE, (uint64_t)step);
        plugin->stop(call);
        run_part(context, call, is_late ? 0.001 : 0.021);
    }
    plugin->finish(context);
}

static void many(void)
{
    for (int i = 0; i < MANY; i++) {
        told_id = (uint64_t)i + 1;
        void *context = open_comm(told_id, "one of many");
        void *call = start_collective(context, COLLECTIVE, 0);
        plugin->stop(call);
        plugin->finish(context);
    }
}

static void bad(void)
{
    void *context = open_comm(comm_id, NULL);
    void *handle = NULL;
    uint64_t device_ns = 1;
    plugin->stop(NULL);
    plugin->stop(event);
    plugin->stop((char *)start_collective(context, COLLECTIVE, 0) + 1);
    plugin->change(NULL, KERNEL_STOPS, NULL);
    plugin->change(event, KERNEL_STOPS, &device_ns);
    plugin->change(event, 999, NULL);
    plugin->start(context, NULL, event);
    plugin->start(context, &handle, NULL);
    plugin->start((void *)(uintptr_t)123456, &handle, event);
    plugin->stop(handle);
    memset(event, 0, sizeof event);
    need(start(context, KERNEL, NULL) == NULL, "a part of nothing");
    need(start(context, KERNEL, event) == NULL, "a part of something else");
    for (int type = 0; type < 64; type++) /* no names, no datatypes, any kind */
        plugin->stop(start(context, version < 5 && type >= 8 ? 0 : 1ull << type, NULL));
    for (int i = 0; i < 3 * 8192; i++) /* no stops */
        start_collective(context, COLLECTIVE, (uint64_t)i);
    plugin->finish(NULL);
    plugin->finish(context);
    plugin->finish(context);
}

int main(int argc, char **argv)
{
    const char *program = argc > 1 ? argv[1] : "calls";
    const char *path = getenv("NCCL_PROFILER_PLUGIN");
    char name[64];
    version = argc > 2 ? atoi(argv[2]) : 5;
    snprintf(name, sizeof name, "ncclProfiler_v%d", version);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
    need(library != NULL, "NCCL_PROFILER_PLUGIN");
    plugin = dlsym(library, name);
    need(plugin != NULL && strcmp(plugin->name, "mprof") == 0, name);
    need(dlsym(library, "ncclProfiler_v7") == NULL, "a version that nobody knows yet");
    if (strcmp(program, "off") == 0) {
        open_comm(comm_id, NULL);
        need(mask == 0, "events are asked for");
    } else if (strcmp(program, "late") == 0) {
        late();
    } else if (strcmp(program, "many") == 0) {
        many();
    } else if (strcmp(program, "bad") == 0) {
        bad();
    } else {
        all_calls();
    }
    MPI_Finalize();
    return 0;
}
