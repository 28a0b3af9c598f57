/* Finding CUPTI, and reading its records (gpu_cupti.h).
 *
 * The structures are those of its versions 18 (CUDA 12.0) and later. They have grown at their ends
 * only, so a record is read up to the fields below. */
#define _GNU_SOURCE
#include "record/calls/gpu_cupti.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hot.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/private_memory.h"
#include "base/warn.h"
#include "record/calls/gpu_activity.h"
#include "record/state/record.h"
#include "record/state/recorder.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym() gives functions as void * */

/* ---- CUPTI's own ----------------------------------------------------------------------------- */

enum {
    OLDEST_VERSION = 18,
    MULTIPLE_SUBSCRIBERS = 39, /* error */
    MAX_LIMIT_REACHED = 12,    /* error: the last record of a buffer */
    FLUSH_FORCED = 1,
    FLUSH_PERIOD_MS = 1000,
    KIND_MEMCPY = 1,
    KIND_MEMSET = 2,
    KIND_KERNEL = 3,
    KIND_CONCURRENT_KERNEL = 10,
    KIND_MEMCPY_BETWEEN = 22,
    KIND_SYNCHRONIZATION = 38,
    MEMORY_PAGEABLE = 1
};

struct cupti_kernel {
    uint32_t kind;
    uint32_t settings[3];
    uint64_t start, end, completed; /* ns */
    uint32_t device, context, stream;
    int32_t grid[3], block[3], shared[2];
    uint32_t local[2], correlation;
    int64_t grid_id;
    const char *name; /* for as long as the buffer is not given back */
};
_Static_assert(offsetof(struct cupti_kernel, start) == 16 &&
                   offsetof(struct cupti_kernel, device) == 40 &&
                   offsetof(struct cupti_kernel, name) == 104,
               "as CUPTI has it");

/* Of copies and fills. */
struct cupti_copy {
    uint32_t kind;
    uint8_t copy_kind, source_memory, target_memory, flags; /* of copies */
    uint64_t bytes, start, end;
    uint32_t device;
};
_Static_assert(offsetof(struct cupti_copy, start) == 16 &&
                   offsetof(struct cupti_copy, device) == 32,
               "as CUPTI has it");

struct cupti_synchronization {
    uint32_t kind, type;
    uint64_t start, end;
};

typedef void request_function(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void complete_function(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                               size_t valid_bytes);

static struct {
    int (*get_version)(uint32_t *version);
    int (*subscribe)(void **subscriber, void *callback, void *data);
    int (*unsubscribe)(void *subscriber);
    int (*register_callbacks)(request_function *request, complete_function *complete);
    int (*enable)(uint32_t kind);
    int (*disable)(uint32_t kind);
    int (*flush_all)(uint32_t flags);
    int (*next_record)(uint8_t *buffer, size_t valid_bytes, void **record);
    int (*dropped)(void *context, uint32_t stream, size_t *records);
    int (*timestamp)(uint64_t *ns);
    int (*flush_period)(uint32_t ms); /* NULL = there is none */
} cupti;

static const struct {
    void *function; /* in `cupti` */
    const char *name;
} functions[] = {{&cupti.get_version, "cuptiGetVersion"},
                 {&cupti.subscribe, "cuptiSubscribe"},
                 {&cupti.unsubscribe, "cuptiUnsubscribe"},
                 {&cupti.register_callbacks, "cuptiActivityRegisterCallbacks"},
                 {&cupti.enable, "cuptiActivityEnable"},
                 {&cupti.disable, "cuptiActivityDisable"},
                 {&cupti.flush_all, "cuptiActivityFlushAll"},
                 {&cupti.next_record, "cuptiActivityGetNextRecord"},
                 {&cupti.dropped, "cuptiActivityGetNumDroppedRecords"},
                 {&cupti.timestamp, "cuptiGetTimestamp"},
                 {&cupti.flush_period, "cuptiActivityFlushPeriod"}};
enum { FUNCTIONS = sizeof functions / sizeof functions[0], NEEDED = FUNCTIONS - 1 };

static const uint32_t kinds[] = {KIND_CONCURRENT_KERNEL, KIND_MEMCPY, KIND_MEMCPY_BETWEEN,
                                 KIND_MEMSET, KIND_SYNCHRONIZATION};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- where it is ----------------------------------------------------------------------------- */

static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
enum { NAMES = sizeof names / sizeof names[0], PATH_BYTES = 1024 };

bool gpu_cupti_is(const char *path)
{
    static const char *const beginnings[] = {"libcupti.so", "libnvperf_", NULL};
    return base_name_begins(path, beginnings);
}

static void *open_named(const char *folder, int flags)
{
    char path[PATH_BYTES];
    void *library = NULL;
    for (size_t i = 0; i < NAMES && library == NULL; i++) {
        const int length = snprintf(path, sizeof path, "%s%s", folder, names[i]);
        if (length > 0 && (size_t)length < sizeof path)
            library = dlopen(path, RTLD_NOW | flags);
    }
    return library;
}

/* The folder of CUDA's runtime, with the slash. */
static int find_runtime(struct dl_phdr_info *object, size_t bytes, void *context)
{
    static const char *const runtime[] = {"libcudart.so", NULL};
    char *folder = context;
    const char *slash = strrchr(object->dlpi_name, '/');
    (void)bytes;
    if (slash == NULL || !base_name_begins(object->dlpi_name, runtime) ||
        (size_t)(slash - object->dlpi_name) + 2 > PATH_BYTES)
        return 0;
    memcpy(folder, object->dlpi_name, (size_t)(slash - object->dlpi_name) + 1);
    folder[slash - object->dlpi_name + 1] = '\0';
    return 1;
}

static void *open_below(const char *folder, const char *const below[], size_t count)
{
    char path[PATH_BYTES];
    void *library = NULL;
    for (size_t i = 0; i < count && library == NULL; i++) {
        const int length = snprintf(path, sizeof path, "%s%s", folder, below[i]);
        if (length > 0 && (size_t)length < sizeof path)
            library = open_named(path, 0);
    }
    return library;
}

/* As a toolkit has them, and the packages of Python's index. */
static void *open_beside_runtime(void)
{
    static const char *const below[] = {"", "../extras/CUPTI/lib64/", "../../cuda_cupti/lib/"};
    char folder[PATH_BYTES] = "";
    return dl_iterate_phdr(find_runtime, folder) != 0
               ? open_below(folder, below, sizeof below / sizeof below[0])
               : NULL;
}

static void *open_in_toolkit(void)
{
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
    static const char *const below[] = {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0] && library == NULL; i++) {
        const char *folder = secure_getenv(variables[i]);
        if (folder != NULL && folder[0] == '/')
            library = open_below(folder, below, sizeof below / sizeof below[0]);
    }
    return library;
}

static void *find_library(void)
{
    void *library = open_named("", RTLD_NOLOAD);
    if (library == NULL)
        library = open_named("", 0);
    if (library == NULL)
        library = open_beside_runtime();
    return library != NULL ? library : open_in_toolkit();
}

static bool find_functions(void *library)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        void *function = library != NULL ? dlsym(library, functions[i].name) : NULL;
        if (function == NULL && i < NEEDED)
            return false;
        memcpy(functions[i].function, &function, sizeof function);
    }
    return true;
}

/* ---- records --------------------------------------------------------------------------------- */

enum { BUFFER_BYTES = 512 * 1024 };
static uint64_t offset_ns; /* of CUPTI's clock to ours */

/* Of the clock's two pairs, in one unit. */
struct line {
    uint64_t ticks, ns; /* at time 0 */
    uint64_t run_ticks, run_ns;
};

static uint64_t ticks_at(const struct line *line, uint64_t cupti_ns)
{
    const uint64_t ns = cupti_ns + offset_ns;
    if (cupti_ns == 0)
        return 0;
    return ns > line->ns ? line->ticks + scale_uint64(ns - line->ns, line->run_ticks, line->run_ns)
                         : 1; /* before the run */
}

static enum mprof_gpu_work_kind kind_of_copy(uint8_t kind)
{
    enum { TO_DEVICE = 1, FROM_DEVICE, TO_ARRAY, FROM_ARRAY, ON_HOST = 9, BETWEEN };
    switch (kind) {
    case TO_DEVICE:
    case TO_ARRAY:
        return MPROF_GPU_COPY_TO;
    case FROM_DEVICE:
    case FROM_ARRAY:
        return MPROF_GPU_COPY_FROM;
    case BETWEEN:
        return MPROF_GPU_COPY_BETWEEN;
    default:
        return kind == 0 || kind >= ON_HOST ? MPROF_GPU_COPY_ELSE : MPROF_GPU_COPY_ON;
    }
}

static bool is_of_nccl(const char *name)
{
    return strncmp(name, "ncclDevKernel", strlen("ncclDevKernel")) == 0 ||
           strncmp(name, "ncclKernel", strlen("ncclKernel")) == 0 ||
           strstr(name, "ncclDevKernel_") != NULL; /* mangled */
}

static void add_kernel(const struct cupti_kernel *kernel, const struct line *line)
{
    const char *name = kernel->name != NULL ? kernel->name : "";
    gpu_activity_add(&(struct gpu_activity){.kind = is_of_nccl(name) ? MPROF_GPU_COMMUNICATION
                                                                     : MPROF_GPU_KERNEL,
                                            .device = kernel->device,
                                            .start_ticks = ticks_at(line, kernel->start),
                                            .end_ticks = ticks_at(line, kernel->end),
                                            .name = name[0] != '\0' ? name : NULL});
}

static void add_copy(const struct cupti_copy *copy, const struct line *line)
{
    struct gpu_activity piece = {.kind = MPROF_GPU_FILL,
                                 .device = copy->device,
                                 .start_ticks = ticks_at(line, copy->start),
                                 .end_ticks = ticks_at(line, copy->end),
                                 .bytes = copy->bytes};
    if (copy->kind == KIND_MEMCPY_BETWEEN)
        piece.kind = MPROF_GPU_COPY_BETWEEN;
    else if (copy->kind == KIND_MEMCPY) {
        piece.kind = kind_of_copy(copy->copy_kind);
        piece.is_pageable =
            copy->source_memory == MEMORY_PAGEABLE || copy->target_memory == MEMORY_PAGEABLE;
    }
    gpu_activity_add(&piece);
}

static void add_record(const void *given, const struct line *line)
{
    const struct cupti_synchronization *head = given;
    switch (head->kind) {
    case KIND_KERNEL:
    case KIND_CONCURRENT_KERNEL:
        add_kernel(given, line);
        break;
    case KIND_MEMCPY:
    case KIND_MEMCPY_BETWEEN:
    case KIND_MEMSET:
        add_copy(given, line);
        break;
    case KIND_SYNCHRONIZATION:
        gpu_activity_add(&(struct gpu_activity){.kind = MPROF_GPU_SYNCHRONIZATION,
                                                .start_ticks = ticks_at(line, head->start),
                                                .end_ticks = ticks_at(line, head->end)});
        break;
    default:
        break;
    }
}

/* CUPTI's thread, or one of the program's. Without memory CUPTI drops records, and says how many.
 */
static void give_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
    *buffer = map_private(BUFFER_BYTES);
    *bytes = *buffer != NULL ? BUFFER_BYTES : 0;
    *most_records = 0;
}

static void read_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t valid_bytes)
{
    const struct mprof_clock_pair *start = &record.clock->start;
    const struct line line = {start->ticks_after, start->monotonic_ns,
                              clock_ticks() - start->ticks_after,
                              clock_monotonic_ns() - start->monotonic_ns};
    void *next = NULL;
    size_t dropped = 0;
    if (!gpu_activity_begin())
        return;
    while (cupti.next_record(buffer, valid_bytes, &next) == 0 && next != NULL)
        add_record(next, &line);
    if (cupti.dropped(context, stream, &dropped) != 0)
        dropped = 0;
    gpu_activity_end(dropped);
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                        size_t valid_bytes)
{
    if (buffer == NULL)
        return;
    if (valid_bytes != 0)
        read_buffer(context, stream, buffer, valid_bytes);
    unmap_memory(buffer, bytes);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void *subscriber;

/* Nothing is asked for that comes here. */
static void ignore_callback(void *data, uint32_t domain, uint32_t id, const void *info)
{
    (void)data;
    (void)domain;
    (void)id;
    (void)info;
}

static void set_clock(void)
{
    uint64_t now = 0;
    const uint64_t before = clock_monotonic_ns();
    if (cupti.timestamp(&now) == 0)
        offset_ns = before + (clock_monotonic_ns() - before) / 2 - now;
}

/* 0, or the error. */
static int subscribe(void)
{
    int error = cupti.subscribe(&subscriber, (void *)ignore_callback, NULL);
    if (error == 0)
        error = cupti.register_callbacks(give_buffer, take_buffer);
    for (size_t i = 0; i < KINDS && error == 0; i++) {
        error = cupti.enable(kinds[i]);
        if (error != 0 && kinds[i] != KIND_CONCURRENT_KERNEL)
            error = 0; /* the rest is worth having */
    }
    if (error == 0 && cupti.flush_period != NULL)
        (void)cupti.flush_period(FLUSH_PERIOD_MS);
    return error;
}

static enum mprof_gpu_source try_to_open(int *error, uint32_t *version)
{
    const char *injected = secure_getenv("CUDA_INJECTION64_PATH");
    if (injected != NULL && injected[0] != '\0')
        return MPROF_GPU_SOURCE_TAKEN;
    if (!find_functions(find_library()))
        return MPROF_GPU_SOURCE_MISSING;
    *error = cupti.get_version(version);
    if (*error != 0)
        return MPROF_GPU_SOURCE_REFUSED;
    return *version < OLDEST_VERSION ? MPROF_GPU_SOURCE_OLD : MPROF_GPU_SOURCE_CUPTI;
}

static const char *const reasons[] = {
    [MPROF_GPU_SOURCE_MISSING] = "no libcupti in LD_LIBRARY_PATH, CUDA_HOME or beside libcudart",
    [MPROF_GPU_SOURCE_OLD] = "CUPTI is older than CUDA 12",
    [MPROF_GPU_SOURCE_TAKEN] = "another tool has CUPTI (CUDA_INJECTION64_PATH, or it came first)",
    [MPROF_GPU_SOURCE_REFUSED] = "CUPTI refuses it"};

static void start(void)
{
    int error = 0;
    uint32_t version = 0;
    enum mprof_gpu_source source = try_to_open(&error, &version);
    if (source == MPROF_GPU_SOURCE_CUPTI) {
        set_clock();
        error = subscribe();
        if (error != 0)
            source =
                error == MULTIPLE_SUBSCRIBERS ? MPROF_GPU_SOURCE_TAKEN : MPROF_GPU_SOURCE_REFUSED;
    }
    gpu_activity_is_on = gpu_activity_open(source, (uint32_t)error, version);
    if (!gpu_activity_is_on && subscriber != NULL) {
        (void)cupti.unsubscribe(subscriber);
        subscriber = NULL;
    }
    if (source != MPROF_GPU_SOURCE_CUPTI)
        warn("MPROF_GPU=kernels: %s (error %d); calls of the driver alone are timed",
             reasons[source], error);
}

void gpu_cupti_start(void)
{
    static bool is_started;
    const int program_errno = errno;
    if (options.gpu == NULL || strcmp(options.gpu, "kernels") != 0 ||
        __atomic_exchange_n(&is_started, true, __ATOMIC_RELAXED))
        return;
    thread_state.depth = 1; /* what CUPTI asks the driver for is not the program's */
    start();
    thread_state.depth = 0;
    errno = program_errno;
}

/* CUPTI keeps the callbacks: a buffer that comes later is given back. */
void gpu_cupti_finish(void)
{
    if (!gpu_activity_is_on)
        return;
    if (thread_state.recorder != NULL && thread_state.recorder->number == 0)
        gpu_activity_host(clock_ticks(), thread_state.mpi_ticks, true);
    (void)cupti.flush_all(FLUSH_FORCED);
    for (size_t i = 0; i < KINDS; i++)
        (void)cupti.disable(kinds[i]);
    gpu_activity_settle();
    gpu_activity_is_on = false;
}

void gpu_cupti_forget(void)
{
    subscriber = NULL;
    gpu_activity_forget();
}
