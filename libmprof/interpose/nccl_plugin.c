/* The profiler plugin of NCCL and RCCL: ncclProfiler_v1 to ncclProfiler_v6, by which they find it.
 *
 * NCCL_PROFILER_PLUGIN names libmprof.so (mprof run sets it). NCCL takes the newest version that it
 * knows. All of them say the same with other structures: a communicator begins, an event starts
 * under another one, changes, stops. Without MPROF_GPU=kernels no event is asked for, and NCCL
 * calls nobody.
 *
 * Structures are those of NCCL's versions of the interface, as far as they are read. They are never
 * written to. What NCCL leaves out, or calls in another order, is survived: handles are checked. */
#include <stddef.h>
#include <stdint.h>

#include "base/hot.h"
#include "record/calls/nccl_calls.h"
#include "record/paths/path_cache.h"

#define EXPORTED __attribute__((visibility("default")))

/* Kinds of events, and the one change that is of interest. */
enum {
    COLLECTIVE = 1 << 1,
    MESSAGE = 1 << 2,
    PROXY = 1 << 3,
    KERNEL = 1 << 6,
    COPIED_COLLECTIVE = 1 << 12, /* by the GPU's copy engines, since version 6 */
    KERNEL_STOPS = 22
};

/* The beginning is the same in all versions, but that the type has one byte up to version 4. */
struct event_head {
    uint64_t type;
    void *parent;
    int32_t rank;
};
_Static_assert(sizeof(struct event_head) == 24, "the union begins there");

/* Version 1: functions and datatypes are numbers. */
struct collective_v1 {
    const char *name;
    uint64_t comm, number;
    uint8_t function;
    const void *send;
    void *receive;
    size_t count;
    int32_t root;
    uint8_t datatype;
};
struct message_v1 {
    const char *name;
    uint64_t comm;
    uint8_t function;
    void *buffer;
    uint8_t datatype;
    size_t count;
    int32_t peer;
};
/* Versions 2 and 3. */
struct collective_v2 {
    const char *name;
    uint64_t comm, number;
    const char *function;
    const void *send;
    void *receive;
    size_t count;
    int32_t root;
    const char *datatype;
};
struct message_v2 {
    const char *name;
    uint64_t comm;
    const char *function;
    void *buffer;
    const char *datatype;
    size_t count;
    int32_t peer;
};
/* From version 4 on the communicator is told once. */
struct collective_v4 {
    uint64_t number;
    const char *function;
    const void *send;
    void *receive;
    size_t count;
    int32_t root;
    const char *datatype;
};
struct message_v4 {
    const char *function;
    void *buffer;
    const char *datatype;
    size_t count;
    int32_t peer;
};
struct kernel_v4 {
    uint8_t channel;
    uint64_t device_ns;
};

static const char *function_v1(uint8_t number)
{
    static const char *const names[] = {"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                        "AllReduce", "SendRecv", "Send",      "Recv"};
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

static const char *datatype_v1(uint8_t number)
{
    static const char *const names[] = {"ncclInt8",     "ncclUint8",      "ncclInt32",
                                        "ncclUint32",   "ncclInt64",      "ncclUint64",
                                        "ncclFloat16",  "ncclFloat32",    "ncclFloat64",
                                        "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

/* Up to version 3 each event tells its communicator; nobody says how many ranks it has. */
static uint32_t comm_of_event(uint64_t id, const char *name, int32_t rank)
{
    return nccl_comm_row(&(struct nccl_comm){.id = id, .name = name, .rank = (uint32_t)rank});
}

static void *begin_v1(const struct event_head *head, uint32_t callsite)
{
    if ((head->type & COLLECTIVE) != 0) {
        const struct collective_v1 *given = (const void *)(head + 1);
        return nccl_call_begin(
            &(struct nccl_call){.comm = comm_of_event(given->comm, given->name, head->rank),
                                .callsite = callsite,
                                .function = function_v1(given->function),
                                .datatype = datatype_v1(given->datatype),
                                .count = given->count,
                                .number = given->number});
    }
    const struct message_v1 *given = (const void *)(head + 1);
    return nccl_call_begin(
        &(struct nccl_call){.comm = comm_of_event(given->comm, given->name, head->rank),
                            .callsite = callsite,
                            .is_message = true,
                            .peer = 1 + (uint32_t)given->peer,
                            .function = function_v1(given->function),
                            .datatype = datatype_v1(given->datatype),
                            .count = given->count});
}

static void *begin_v2(const struct event_head *head, uint32_t callsite)
{
    if ((head->type & COLLECTIVE) != 0) {
        const struct collective_v2 *given = (const void *)(head + 1);
        return nccl_call_begin(
            &(struct nccl_call){.comm = comm_of_event(given->comm, given->name, head->rank),
                                .callsite = callsite,
                                .function = given->function,
                                .datatype = given->datatype,
                                .count = given->count,
                                .number = given->number});
    }
    const struct message_v2 *given = (const void *)(head + 1);
    return nccl_call_begin(
        &(struct nccl_call){.comm = comm_of_event(given->comm, given->name, head->rank),
                            .callsite = callsite,
                            .is_message = true,
                            .peer = 1 + (uint32_t)given->peer,
                            .function = given->function,
                            .datatype = given->datatype,
                            .count = given->count});
}

static void *begin_v4(const void *context, const struct event_head *head, uint64_t type,
                      uint32_t callsite)
{
    const uint32_t comm = (uint32_t)(uintptr_t)context;
    if (type != MESSAGE) {
        const struct collective_v4 *given = (const void *)(head + 1);
        return nccl_call_begin(&(struct nccl_call){.comm = comm,
                                                   .callsite = callsite,
                                                   .function = given->function,
                                                   .datatype = given->datatype,
                                                   .count = given->count,
                                                   .number = given->number});
    }
    const struct message_v4 *given = (const void *)(head + 1);
    return nccl_call_begin(&(struct nccl_call){.comm = comm,
                                               .callsite = callsite,
                                               .is_message = true,
                                               .peer = 1 + (uint32_t)given->peer,
                                               .function = given->function,
                                               .datatype = given->datatype,
                                               .count = given->count});
}

/* Who called NCCL's caller of the plugin: what begins a call is on the program's own thread. */
struct nccl_origin {
    const void *return_address, *cfa;
};

/* ---- what NCCL calls: 0 = done -----------------------------------------------------------------
 */

static int start(const void *context, void **handle, const struct event_head *head, int version,
                 const struct nccl_origin *origin)
{
    if (handle == NULL)
        return 0;
    *handle = NULL;
    if (head == NULL)
        return 0;
    const uint64_t type = version < 5 ? head->type & UINT8_MAX : head->type;
    if (type == KERNEL || type == PROXY) {
        const struct kernel_v4 *kernel = (const void *)(head + 1);
        const bool has_time = type == KERNEL && version >= 4;
        *handle = nccl_part_begin(head->parent, has_time ? kernel->device_ns : 0);
    } else if (type == COLLECTIVE || type == MESSAGE ||
               (type == COPIED_COLLECTIVE && version >= 6)) {
        const uint32_t callsite = nccl_callsite(origin->return_address, origin->cfa);
        if (version >= 4)
            *handle = begin_v4(context, head, type, callsite);
        else
            *handle = version == 1 ? begin_v1(head, callsite) : begin_v2(head, callsite);
    }
    return 0;
}

#define START_OF(version)                                                                      \
    static int start_v##version(void *context, void **handle, const struct event_head *head)   \
    {                                                                                          \
        const struct nccl_origin origin = {__builtin_return_address(0), path_wrapper_frame()}; \
        return start(context, handle, head, version, &origin);                                 \
    }
START_OF(1)
START_OF(2)
START_OF(3)
START_OF(4)
START_OF(5)
START_OF(6)

static int stop(void *handle)
{
    nccl_end(handle);
    return 0;
}

/* Up to version 3 a change has no time of the GPU. */
static int change(void *handle, int state, const void *arguments)
{
    (void)handle;
    (void)state;
    (void)arguments;
    return 0;
}

static int change_v4(void *handle, int state, const uint64_t *device_ns)
{
    if (state == KERNEL_STOPS && device_ns != NULL)
        nccl_part_stops(handle, *device_ns);
    return 0;
}

static int finish(void *context)
{
    (void)context;
    return 0;
}

static void ask(int *mask, int events)
{
    if (mask != NULL)
        *mask = nccl_is_recorded() ? events : 0;
}

/* Before there were events of kernels, the last part of a call is one of the network. */
static int init_v1(void **context, int *mask)
{
    if (context != NULL)
        *context = NULL;
    ask(mask, COLLECTIVE | MESSAGE | PROXY);
    return 0;
}

static int init_v3(void **context, int *mask)
{
    if (context != NULL)
        *context = NULL;
    ask(mask, COLLECTIVE | MESSAGE | KERNEL);
    return 0;
}

static int open_comm(void **context, int *mask, int events, const struct nccl_comm *comm)
{
    if (context != NULL)
        *context = (void *)(uintptr_t)nccl_comm_row(comm);
    ask(mask, events);
    return 0;
}

static int init_v4(void **context, int *mask, const char *name, uint64_t id, int nodes, int ranks,
                   int rank, void *log)
{
    (void)log;
    return open_comm(
        context, mask, COLLECTIVE | MESSAGE | KERNEL,
        &(struct nccl_comm){id, name, (uint32_t)rank, (uint32_t)ranks, (uint32_t)nodes});
}

static int init_v5(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks,
                   int rank, void *log)
{
    return init_v4(context, mask, name, id, nodes, ranks, rank, log);
}

static int init_v6(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks,
                   int rank, void *log)
{
    (void)log;
    return open_comm(
        context, mask, COLLECTIVE | MESSAGE | KERNEL | COPIED_COLLECTIVE,
        &(struct nccl_comm){id, name, (uint32_t)rank, (uint32_t)ranks, (uint32_t)nodes});
}

typedef void any_function(void);
struct plugin {
    const char *name;
    any_function *init, *start, *stop, *change, *finish;
};
#define PLUGIN(version, of_init, of_change)                                          \
    extern const struct plugin ncclProfiler_v##version EXPORTED;                     \
    const struct plugin ncclProfiler_v##version = {"mprof",                          \
                                                   (any_function *)(of_init),        \
                                                   (any_function *)start_v##version, \
                                                   (any_function *)stop,             \
                                                   (any_function *)(of_change),      \
                                                   (any_function *)finish};
PLUGIN(1, init_v1, change)
PLUGIN(2, init_v1, change)
PLUGIN(3, init_v3, change)
PLUGIN(4, init_v4, change_v4)
PLUGIN(5, init_v5, change_v4)
PLUGIN(6, init_v6, change_v4)
