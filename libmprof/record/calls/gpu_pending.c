/* The last launches and copies, and questions to the driver (gpu_pending.h). */
#define _GNU_SOURCE
#include "record/calls/gpu_pending.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/hot.h"
#include "record/calls/gpu_kernels.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym() gives functions as void * */

enum { LAST = 64, PARAMETERS = 32, NOT_READY = 600 };

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

static SELDOM struct pending {
    uintptr_t address; /* 0 = free */
    uintptr_t stream;
    const char *name;
} last[LAST];
static uint32_t next;

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
    struct pending *place = &last[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % LAST];
    __atomic_store_n(&place->address, 0, __ATOMIC_RELAXED);
    place->stream = stream;
    place->name = name;
    __atomic_store_n(&place->address, address, __ATOMIC_RELEASE);
}

void gpu_pending_launched(uintptr_t function, void *const *parameters, uintptr_t stream)
{
    size_t offset;
    size_t bytes;
    if (parameters == NULL || !ask_driver() || driver.parameter == NULL)
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
    if (to != 0)
        keep(to, stream, "a copy");
}

static bool may_run(uintptr_t stream)
{
    int status = 0;
    return driver.is_capturing(stream, &status) == 0 && status == 0 &&
           driver.query(stream) == NOT_READY;
}

const char *gpu_pending_at(const void *address)
{
    if (!ask_driver())
        return NULL;
    for (uint32_t i = 0; i < LAST; i++)
        if (__atomic_load_n(&last[i].address, __ATOMIC_ACQUIRE) == (uintptr_t)address &&
            may_run(last[i].stream))
            return last[i].name;
    return NULL;
}
