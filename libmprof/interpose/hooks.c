/* What libmprof.so exports in place of the dynamic linker's functions (hooks.h), and the two of
 * them that need no assembly. */
#define _GNU_SOURCE
#include "interpose/hooks.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "interpose/bind_mpi.h"
#include "interpose/gpu_driver.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "interpose/other_tools.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

typedef int dladdr_type(const void *address, Dl_info *info);
typedef int dladdr1_type(const void *address, Dl_info *info, void **extra, int flags);

/* Of a trampoline or a GPU wrapper, the function that is in its place without mprof. */
static const void *without_mprof(const void *address)
{
    const int function = mpi_trampoline_at(address);
    if (function < 0 || !bind_mpi())
        return gpu_without_wrapper(address);
    const void *native = native_definition(function);
    return native != NULL ? native : address;
}

static int file_of(const void *address, Dl_info *info)
{
    static dladdr_type *next;
    if (next == NULL)
        next = (dladdr_type *)next_hook("dladdr");
    return next(without_mprof(address), info);
}

static int file_and_more_of(const void *address, Dl_info *info, void **extra, int flags)
{
    static dladdr1_type *next;
    if (next == NULL)
        next = (dladdr1_type *)next_hook("dladdr1");
    return next(without_mprof(address), info, extra, flags);
}

__attribute__((visibility("default"), alias("file_of"))) dladdr_type dladdr;
__attribute__((visibility("default"), alias("file_and_more_of"))) dladdr1_type dladdr1;

/* Other names of what is exported. The address of an exported function can be the program's own
 * jump to it. */
extern const char mprof_hook_dlopen[] HIDDEN;
extern const char mprof_hook_dlsym[] HIDDEN;

void *hook_named(const char *name)
{
    const struct {
        const char *name;
        void *function;
    } hooks[] = {{"dlopen", (void *)(uintptr_t)mprof_hook_dlopen},
                 {"dlsym", (void *)(uintptr_t)mprof_hook_dlsym},
                 {"dladdr", (void *)file_of},
                 {"dladdr1", (void *)file_and_more_of}};
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].name, name) == 0)
            return hooks[i].function;
    return NULL;
}
