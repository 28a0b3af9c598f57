/* Asking CUDA and HIP about addresses (device_memory.h). The functions are looked up in a library
 * that is loaded already (RTLD_NOLOAD), and only when one is not known yet: a program may load it
 * late. Looking takes a microsecond, so it is done for the first calls, and then now and then. */
#define _GNU_SOURCE
#include "base/device_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym() gives functions as void * */

/* cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address), and HIP's
 * of the same shape. */
typedef int get_attribute(void *data, int attribute, uintptr_t address);

enum { MEMORY_TYPE = 2, IS_MANAGED = 8, TYPE_DEVICE = 2, LOOK_EVERY = 256 };

static const struct {
    const char *library;
    const char *function;
} sources[] = {{"libcuda.so.1", "cuPointerGetAttribute"},
               {"libamdhip64.so", "hipPointerGetAttribute"},
               {"libamdhip64.so.6", "hipPointerGetAttribute"}};

enum { SOURCES = sizeof sources / sizeof sources[0] };

static get_attribute *found(void)
{
    static get_attribute *function;
    static uint32_t looks;
    if (function != NULL || __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) % LOOK_EVERY != 0)
        return function;
    const int program_errno = errno;
    for (size_t i = 0; i < SOURCES && function == NULL; i++) {
        void *library = dlopen(sources[i].library, RTLD_LAZY | RTLD_NOLOAD);
        if (library != NULL)
            function = (get_attribute *)dlsym(library, sources[i].function);
    }
    errno = program_errno;
    return function;
}

bool is_device_memory(const void *address)
{
    get_attribute *ask = found();
    uint32_t type = 0;
    uint32_t managed = 0;
    if (ask == NULL || ask(&type, MEMORY_TYPE, (uintptr_t)address) != 0 || type != TYPE_DEVICE)
        return false;
    return ask(&managed, IS_MANAGED, (uintptr_t)address) != 0 || managed == 0;
}
