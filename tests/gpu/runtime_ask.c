/* Asks as libcudart does (runtime.h): dlopen(), one dlsym(), and that function for all others, also
 * for itself. */
#include <dlfcn.h>

#include "runtime.h"

typedef int lookup(const char *name, void **function, int version, uint64_t flags, int *status);
static void *driver;
static lookup *ask;

void *runtime_function(const char *name, uint64_t flags)
{
    void *function = NULL;
    int status = 0;
    need(ask(name, &function, 12000, flags, &status) == 0, name);
    return function;
}

void *runtime_driver(void)
{
    return driver;
}

void runtime_open(void)
{
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    need(driver != NULL, "libcuda.so.1");
    ask = (lookup *)(uintptr_t)dlsym(driver, "cuGetProcAddress_v2");
    need(ask != NULL, "cuGetProcAddress_v2");
    ask = (lookup *)(uintptr_t)runtime_function("cuGetProcAddress", 0);
    runtime_init();
}
