/* A stand-in for NVIDIA's libcupti, beside fake_cuda.c: it gives records of what that device does
 * as CUPTI does. They come in buffers that the tool gives, on a thread of its own, latest first;
 * names are gone when the tool's function returns; what has not ended when the tool asks for all
 * has end 0. Its clock is not that of the tool.
 *
 *   FAKE_CUPTI_DROP=3   each third record is dropped, and counted
 *   FAKE_CUPTI_TAKEN    another tool has subscribed
 *   FAKE_CUPTI_OLD      it is of CUDA 11
 *   FAKE_CUPTI_REFUSES  kernels are for root only */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_cuda.h"

#define EXPORT __attribute__((visibility("default")))
#define CLOCK_AHEAD_NS 1000000000000000ull

enum {
    KERNEL = 10,
    COPY = 1,
    MOST_RECORDS = 65536,
    BATCH = 8,
    ERROR_LIMIT = 12,
    ERROR_PRIVILEGES = 35,
    ERROR_SUBSCRIBERS = 39
};

struct kernel_record {
    uint32_t kind, settings[3];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t sizes[8];
    uint32_t local[2], correlation;
    int64_t grid_id;
    const char *name;
    uint64_t more[11];
};
struct copy_record {
    uint32_t kind;
    uint8_t copy_kind, source, target, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint64_t more[6];
};

typedef void request(uint8_t **buffer, size_t *bytes, size_t *most);
typedef void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
static request *give;
static complete *take;
static struct device_work pending[MOST_RECORDS];
static size_t pending_count, seen, dropped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* With FAKE_CUPTI_FUTURE copies end a day from now, every other one as late as a number allows. */
static uint64_t end_of(const struct device_work *work, uint64_t now)
{
    static unsigned copies;
    const uint64_t day_ns = 86400000000000ull;
    if (work->kernel == NULL && getenv("FAKE_CUPTI_FUTURE") != NULL)
        return copies++ % 2 == 0 ? now + CLOCK_AHEAD_NS + day_ns : UINT64_MAX;
    return work->end_ns <= now ? work->end_ns + CLOCK_AHEAD_NS : 0;
}

static size_t write_record(uint8_t *to, const struct device_work *work, uint64_t now)
{
    const uint64_t end = end_of(work, now);
    const struct kernel_record kernel = {.kind = KERNEL,
                                         .start = work->start_ns + CLOCK_AHEAD_NS,
                                         .end = end,
                                         .completed = end,
                                         .name = work->kernel};
    const struct copy_record copy = {.kind = COPY,
                                     .copy_kind = (uint8_t)work->copy_kind,
                                     .source = work->is_pageable ? 1 : 2,
                                     .target = 3,
                                     .bytes = work->bytes,
                                     .start = work->start_ns + CLOCK_AHEAD_NS,
                                     .end = end};
    if (work->kernel == NULL) {
        memcpy(to, &copy, sizeof copy);
        return sizeof copy;
    }
    memcpy(to, &kernel, sizeof kernel);
    return sizeof kernel;
}

/* What has ended, or all; the rest waits. */
static void *deliver(void *all)
{
    uint8_t *buffer = NULL;
    size_t bytes = 0, most = 0, valid = 0, left = 0;
    const uint64_t now = now_ns();
    give(&buffer, &bytes, &most);
    pthread_mutex_lock(&lock);
    for (size_t i = pending_count; i-- > 0;)
        if ((all != NULL || pending[i].end_ns <= now) &&
            valid + sizeof(struct kernel_record) <= bytes) {
            valid += write_record(buffer + valid, &pending[i], now);
            pending[i].end_ns = 0;
        }
    for (size_t i = 0; i < pending_count; i++)
        if (pending[i].end_ns != 0)
            pending[left++] = pending[i];
    pending_count = left;
    pthread_mutex_unlock(&lock);
    take(NULL, 0, buffer, bytes, valid);
    return NULL;
}

static void deliver_apart(int all)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, deliver, all ? pending : NULL) == 0)
        pthread_join(thread, NULL);
}

/* Names are copies that are overwritten later: whoever keeps a pointer reads something else. */
static const char *passing_name(const char *name)
{
    static char names[256][512];
    static unsigned next;
    char *copy = names[next++ % 256];
    strncpy(copy, name, sizeof names[0] - 1);
    return copy;
}

static void observe(const struct device_work *work)
{
    const char *drop = getenv("FAKE_CUPTI_DROP");
    pthread_mutex_lock(&lock);
    seen++;
    if ((drop != NULL && seen % strtoul(drop, NULL, 10) == 0) || pending_count == MOST_RECORDS) {
        dropped++;
    } else {
        pending[pending_count] = *work;
        if (work->kernel != NULL)
            pending[pending_count].kernel = passing_name(work->kernel);
        pending_count++;
    }
    const int is_full = pending_count > 0 && seen % BATCH == 0;
    pthread_mutex_unlock(&lock);
    if (is_full)
        deliver_apart(0);
}

/* ---- its functions --------------------------------------------------------------------------- */

EXPORT int cuptiGetVersion(uint32_t *version)
{
    *version = getenv("FAKE_CUPTI_OLD") != NULL ? 14 : 130000;
    return 0;
}

EXPORT int cuptiSubscribe(void **subscriber, void *callback, void *data)
{
    (void)data;
    *subscriber = &pending;
    return callback == NULL || getenv("FAKE_CUPTI_TAKEN") != NULL ? ERROR_SUBSCRIBERS : 0;
}

EXPORT int cuptiUnsubscribe(void *subscriber)
{
    return subscriber != &pending;
}

EXPORT int cuptiActivityRegisterCallbacks(request *requested, complete *completed)
{
    give = requested;
    take = completed;
    return 0;
}

EXPORT int cuptiActivityEnable(uint32_t kind)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void (*watch)(work_function *) = NULL;
    if (kind != KERNEL)
        return 0;
    if (getenv("FAKE_CUPTI_REFUSES") != NULL || driver == NULL)
        return ERROR_PRIVILEGES;
    watch = (void (*)(work_function *))(uintptr_t)dlsym(driver, "fake_cuda_observe");
    watch(observe);
    return 0;
}

EXPORT int cuptiActivityDisable(uint32_t kind)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (kind == KERNEL)
        ((void (*)(work_function *))(uintptr_t)dlsym(driver, "fake_cuda_observe"))(NULL);
    return 0;
}

EXPORT int cuptiActivityFlushAll(uint32_t flags)
{
    while (pending_count > 0)
        deliver_apart(flags == 1);
    return 0;
}

EXPORT int cuptiActivityFlushPeriod(uint32_t ms)
{
    return ms == 0;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *next = *record;
    if (next == NULL)
        next = buffer;
    else
        next += *(uint32_t *)(void *)next == KERNEL ? sizeof(struct kernel_record)
                                                    : sizeof(struct copy_record);
    if (next >= buffer + valid)
        return ERROR_LIMIT;
    *record = next;
    return 0;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context;
    (void)stream;
    *count = dropped;
    dropped = 0;
    return 0;
}

EXPORT int cuptiGetTimestamp(uint64_t *ns)
{
    *ns = now_ns() + CLOCK_AHEAD_NS;
    return 0;
}
