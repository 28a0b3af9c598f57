/* Names, handles and streams of kernels (gpu_kernels.h). */
#define _GNU_SOURCE
#include "record/calls/gpu_kernels.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/hot.h"
#include "base/lock.h"
#include "base/options.h"
#include "mprof/format/format.h"
#include "record/calls/gpu_calls.h"
#include "record/state/record.h"
#include "record/state/recorder.h"
#include "store/arena.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym() gives functions as void * */

enum { HANDLES = 1024, STREAMS = 256, EVENTS = 256, PROBES = 32 };
static SELDOM struct {
    char names[GPU_KERNELS][sizeof(((struct mprof_gpu_kernel *)0)->name)];
    struct {
        uintptr_t handle; /* 0 = free */
        uint32_t kernel;
    } handles[HANDLES];
    uint64_t streams[STREAMS]; /* kernel, and above it bits of the stream that no other one has */
    uint64_t events[EVENTS];   /* likewise */
    uint32_t rows[GPU_KERNELS];
} all;
static uint32_t kernels = 1; /* in use of names; the first one is that of graphs */
static uint32_t last_kernel;
static struct mprof_gpu_kernel *record_rows;
static uint32_t used_rows;
static struct lock names_lock;
static uint32_t captures; /* of streams into graphs, that go on */

static uint32_t hash_of(uintptr_t address)
{
    return (uint32_t)(((uint64_t)address * 0x9e3779b97f4a7c15u) >> 32);
}

/* The place of a handle, or a free one; HANDLES = there is none near. */
static uint32_t place_of(uintptr_t handle)
{
    const uint32_t hash = hash_of(handle);
    for (uint32_t i = 0; i < PROBES; i++) {
        const uint32_t at = (hash + i) % HANDLES;
        const uintptr_t there = __atomic_load_n(&all.handles[at].handle, __ATOMIC_ACQUIRE);
        if (there == handle || there == 0)
            return at;
    }
    return HANDLES;
}

static uint32_t kernel_of(uintptr_t handle)
{
    const uint32_t at = place_of(handle);
    return at < HANDLES && all.handles[at].handle == handle
               ? __atomic_load_n(&all.handles[at].kernel, __ATOMIC_RELAXED)
               : 0;
}

/* With the lock held. */
static void keep_handle(uintptr_t handle, uint32_t kernel)
{
    const uint32_t at = handle != 0 ? place_of(handle) : HANDLES;
    if (at == HANDLES)
        return;
    __atomic_store_n(&all.handles[at].kernel, kernel, __ATOMIC_RELAXED);
    __atomic_store_n(&all.handles[at].handle, handle, __ATOMIC_RELEASE);
}

/* With the lock held: its number; 0 = no room. A longer name is cut. */
static uint32_t number_of(const char *name)
{
    const size_t most = sizeof all.names[0] - 1;
    for (uint32_t i = GPU_KERNEL_GRAPH + 1; i <= kernels; i++)
        if (strncmp(all.names[i - 1], name, most) == 0)
            return i;
    if (kernels == GPU_KERNELS)
        return 0;
    memcpy(all.names[kernels], name, strnlen(name, most));
    return ++kernels;
}

void gpu_kernel_is_named(uintptr_t handle, const char *name)
{
    if (name == NULL || *name == '\0' || !lock_take(&names_lock))
        return;
    keep_handle(handle, number_of(name));
    lock_give(&names_lock);
}

void gpu_kernel_is_same(uintptr_t handle, uintptr_t other)
{
    if (handle == other || !lock_take(&names_lock))
        return;
    keep_handle(handle, kernel_of(other));
    lock_give(&names_lock);
}

const char *gpu_kernel_name(uintptr_t handle)
{
    const uint32_t kernel = kernel_of(handle);
    return kernel != 0 ? all.names[kernel - 1] : "a kernel";
}

bool gpu_kernel_has_name(uintptr_t handle)
{
    return kernel_of(handle) != 0;
}

/* Of places that streams or events share. */
static void keep_kernel(uint64_t *places, uint32_t count, uintptr_t object, uint32_t kernel)
{
    const uint32_t hash = hash_of(object);
    uint64_t *place = &places[hash % count];
    __atomic_store_n(place, (uint64_t)hash << 32 | kernel, __ATOMIC_RELAXED);
}

static uint32_t kept_kernel(const uint64_t *places, uint32_t count, uintptr_t object)
{
    const uint32_t hash = hash_of(object);
    const uint64_t last = __atomic_load_n(&places[hash % count], __ATOMIC_RELAXED);
    return last >> 32 == hash ? (uint32_t)last : 0;
}

static void note_launch(uint32_t kernel, uintptr_t stream)
{
    keep_kernel(all.streams, STREAMS, stream, kernel);
    __atomic_store_n(&last_kernel, kernel, __ATOMIC_RELAXED);
}

void gpu_kernel_launched(uintptr_t handle, uintptr_t stream)
{
    note_launch(kernel_of(handle), stream);
}

void gpu_graph_launched(uintptr_t stream)
{
    note_launch(GPU_KERNEL_GRAPH, stream);
}

uint32_t gpu_kernel_before(uintptr_t stream)
{
    return stream != GPU_ANY_STREAM ? kept_kernel(all.streams, STREAMS, stream)
                                    : __atomic_load_n(&last_kernel, __ATOMIC_RELAXED);
}

uint32_t gpu_kernel_before_event(uintptr_t event)
{
    return kept_kernel(all.events, EVENTS, event);
}

static bool open_rows(void)
{
    uint32_t index;
    if (record_rows == NULL)
        record_rows =
            arena_allocate(MPROF_SECTION_GPU_KERNELS, 0, GPU_KERNELS * sizeof *record_rows,
                           sizeof *record_rows, false, &index);
    return record_rows != NULL;
}

uint32_t gpu_kernel_known_row(uint32_t kernel)
{
    return kernel == 0 || kernel > GPU_KERNELS
               ? 0
               : __atomic_load_n(&all.rows[kernel - 1], __ATOMIC_ACQUIRE);
}

uint32_t gpu_kernel_row(uint32_t kernel)
{
    const uint32_t known = gpu_kernel_known_row(kernel);
    if (kernel == 0 || kernel > GPU_KERNELS || known != 0 || !open_rows())
        return known;
    struct mprof_gpu_kernel *row = &record_rows[used_rows];
    const char *name = kernel == GPU_KERNEL_GRAPH ? "(graph)" : all.names[kernel - 1];
    memcpy(row->name, name, strnlen(name, sizeof row->name - 1));
    IN_ORDER();
    row->in_use = 1;
    __atomic_store_n(&all.rows[kernel - 1], ++used_rows, __ATOMIC_RELEASE);
    return used_rows;
}

void gpu_kernels_forget(void)
{
    memset(all.rows, 0, sizeof all.rows);
    captures = 0;
    names_lock = (struct lock){0};
    record_rows = NULL;
    used_rows = 0;
}

/* ---- work that may still run ----------------------------------------------------------------- */

/* The last launches and copies, and questions to the driver (gpu_kernels.h). */

enum { LAST = 64, PARAMETERS = 32, OWN_STREAM = 2 /* CU_STREAM_PER_THREAD */ };

/* cuFuncGetParamInfo(function, index, &offset, &bytes), cuStreamIsCapturing(stream, &status),
 * cuStreamQuery(stream). */
typedef int parameter_type(uintptr_t function, size_t index, size_t *offset, size_t *bytes);
typedef int capturing_type(uintptr_t stream, int *status);
typedef int query_type(uintptr_t stream);
static struct {
    bool is_asked;
    parameter_type *parameter;
    capturing_type *is_capturing;
    query_type *query;
} driver;

/* What was before an event has lower numbers. */
static SELDOM struct pending {
    uintptr_t address; /* 0 = free */
    uintptr_t stream;
    const char *name;
    uint32_t number;
} last[LAST];
static uint32_t next;
static SELDOM struct {
    uintptr_t event; /* 0 = free */
    uintptr_t stream;
    uint32_t number;
} recorded[EVENTS];

/* Some stream; what is launched on it does not run. */
static bool is_captured(void)
{
    return __atomic_load_n(&captures, __ATOMIC_SEQ_CST) != 0;
}

static bool ask_driver(void)
{
    if (__atomic_load_n(&driver.is_asked, __ATOMIC_ACQUIRE))
        return driver.query != NULL && driver.is_capturing != NULL;
    const int program_errno = errno;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    errno = program_errno;
    if (library == NULL)
        return false;
    driver.parameter = (parameter_type *)dlsym(library, "cuFuncGetParamInfo");
    driver.is_capturing = (capturing_type *)dlsym(library, "cuStreamIsCapturing");
    driver.query = (query_type *)dlsym(library, "cuStreamQuery");
    __atomic_store_n(&driver.is_asked, true, __ATOMIC_RELEASE);
    return driver.query != NULL && driver.is_capturing != NULL;
}

static void keep(uintptr_t address, uintptr_t stream, const char *name)
{
    const uint32_t number = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
    struct pending *place = &last[number % LAST];
    __atomic_store_n(&place->address, 0, __ATOMIC_RELAXED);
    place->stream = stream;
    place->name = name;
    place->number = number;
    __atomic_store_n(&place->address, address, __ATOMIC_RELEASE);
}

void gpu_pending_launched(uintptr_t function, void *const *parameters, uintptr_t stream)
{
    size_t offset;
    size_t bytes;
    if (parameters == NULL || is_captured() || !ask_driver() || driver.parameter == NULL)
        return;
    for (size_t i = 0; i < PARAMETERS && driver.parameter(function, i, &offset, &bytes) == 0; i++)
        if (bytes == sizeof(uintptr_t) && parameters[i] != NULL) {
            uintptr_t value;
            memcpy(&value, parameters[i], sizeof value);
            if (value != 0)
                keep(value, stream, gpu_kernel_name(function));
        }
}

void gpu_pending_copied(uintptr_t to, uintptr_t stream)
{
    if (to != 0 && !is_captured())
        keep(to, stream, "a copy");
}

void gpu_event_recorded(uintptr_t event, uintptr_t stream)
{
    keep_kernel(all.events, EVENTS, event, gpu_kernel_before(stream));
    if (options.lint == 0)
        return;
    const uint32_t at = hash_of(event) % EVENTS;
    __atomic_store_n(&recorded[at].event, 0, __ATOMIC_RELAXED);
    recorded[at].stream = stream;
    recorded[at].number = __atomic_load_n(&next, __ATOMIC_RELAXED);
    __atomic_store_n(&recorded[at].event, event, __ATOMIC_RELEASE);
}

void gpu_stream_is_gone(uintptr_t stream)
{
    for (uint32_t i = 0; stream == GPU_ANY_STREAM && i < STREAMS; i++)
        __atomic_store_n(&all.streams[i], 0, __ATOMIC_RELAXED);
    if (kept_kernel(all.streams, STREAMS, stream) != 0)
        keep_kernel(all.streams, STREAMS, stream, 0);
    gpu_pending_ended(stream);
}

/* Of `stream`, up to this number. */
static void forget_pending(uintptr_t stream, uint32_t number)
{
    for (uint32_t i = 0; i < LAST; i++)
        if (__atomic_load_n(&last[i].address, __ATOMIC_ACQUIRE) != 0 &&
            (stream == GPU_ANY_STREAM || last[i].stream == stream) &&
            (int32_t)(last[i].number - number) < 0)
            __atomic_store_n(&last[i].address, 0, __ATOMIC_RELAXED);
}

void gpu_pending_ended(uintptr_t stream)
{
    if (options.lint != 0)
        forget_pending(stream, __atomic_load_n(&next, __ATOMIC_RELAXED));
}

void gpu_pending_ended_before(uintptr_t event)
{
    const uint32_t at = hash_of(event) % EVENTS;
    if (options.lint != 0 && event != 0 &&
        __atomic_load_n(&recorded[at].event, __ATOMIC_ACQUIRE) == event)
        forget_pending(recorded[at].stream, recorded[at].number);
}

void gpu_pending_freed(uintptr_t address)
{
    for (uint32_t i = 0; address != 0 && options.lint != 0 && i < LAST; i++)
        if (__atomic_load_n(&last[i].address, __ATOMIC_RELAXED) == address)
            __atomic_store_n(&last[i].address, 0, __ATOMIC_RELAXED);
}

void gpu_capture_begins(void)
{
    __atomic_fetch_add(&captures, 1, __ATOMIC_SEQ_CST);
}

/* One that failed to begin may be ended, too. */
void gpu_capture_ended(void)
{
    uint32_t count = __atomic_load_n(&captures, __ATOMIC_SEQ_CST);
    while (count > 0 && !__atomic_compare_exchange_n(&captures, &count, count - 1, false,
                                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
}

/* Only its own thread can ask about the default stream of a thread. */
static bool may_run(uintptr_t stream)
{
    const bool is_of_thread = (stream & 1) != 0;
    int status = 0;
    if (is_of_thread && stream != GPU_STREAM_OF_THREAD(&thread_state))
        return false;
    const uintptr_t handle = is_of_thread ? OWN_STREAM : stream;
    return driver.is_capturing(handle, &status) == 0 && status == 0 &&
           driver.query(handle) == GPU_NOT_READY;
}

const char *gpu_pending_at(const void *address)
{
    if (is_captured() || !ask_driver())
        return NULL;
    for (uint32_t i = 0; i < LAST; i++)
        if (__atomic_load_n(&last[i].address, __ATOMIC_ACQUIRE) == (uintptr_t)address &&
            may_run(last[i].stream))
            return last[i].name;
    return NULL;
}
