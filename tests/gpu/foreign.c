/* A library that has functions of its own under names of CUDA's driver and of HIP, for
 * gpu_pitfalls.c: who asks for them gets them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuMemAlloc(void);
EXPORT int cuMemAlloc(void)
{
    return 71;
}

EXPORT int hipMalloc(void);
EXPORT int hipMalloc(void)
{
    return 72;
}

/* cuDNN's functions have such names. */
EXPORT int cudnnCreate(void);
EXPORT int cudnnCreate(void)
{
    return 73;
}

/* What the library finds by itself: here, behind it, and by a handle of the driver. */
EXPORT void *foreign_finds(void *handle, const char *name);
EXPORT void *foreign_finds(void *handle, const char *name)
{
    return dlsym(handle, name);
}
