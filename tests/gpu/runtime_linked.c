/* A program that is linked with the driver, as those of its own interface and those of HIP are
 * (runtime.h): references are addresses in data, and a call. */
#include <dlfcn.h>
#include <string.h>

#include "runtime.h"

typedef void any(void);
any cuInit;
any cuModuleLoadData;
any cuStreamCreate;
sync_function cuStreamSynchronize;
any cuStreamQuery;
any cuCtxSynchronize;
any cuLaunchKernel;
any cuMemcpyDtoH_v2;
any cuMemcpyHtoD_v2;
any cuMemcpyHtoDAsync_v2;
any cuMemcpy;
any cuMemcpy2D_v2;
any cuMemAlloc_v2;
any cuMemFree_v2;

static const struct {
    const char *name;
    any *function;
} functions[] = {
    {"cuInit", cuInit},
    {"cuModuleLoadData", cuModuleLoadData},
    {"cuStreamCreate", cuStreamCreate},
    {"cuStreamQuery", cuStreamQuery},
    {"cuCtxSynchronize", cuCtxSynchronize},
    {"cuLaunchKernel", cuLaunchKernel},
    {"cuMemcpyDtoH", cuMemcpyDtoH_v2},
    {"cuMemcpyHtoD", cuMemcpyHtoD_v2},
    {"cuMemcpyHtoDAsync", cuMemcpyHtoDAsync_v2},
    {"cuMemcpy", cuMemcpy},
    {"cuMemcpy2D", cuMemcpy2D_v2},
    {"cuMemAlloc", cuMemAlloc_v2},
    {"cuMemFree", cuMemFree_v2},
};

/* By a call that the dynamic linker binds when it is made. */
static int wait_by_call(struct stream *stream)
{
    return cuStreamSynchronize(stream);
}

void *runtime_function(const char *name, uint64_t flags)
{
    (void)flags;
    if (strcmp(name, "cuStreamSynchronize") == 0)
        return (void *)(uintptr_t)wait_by_call;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return (void *)(uintptr_t)functions[i].function;
    need(0, name);
    return NULL;
}

void *runtime_driver(void)
{
    return dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
}

void runtime_open(void)
{
    runtime_init();
}
