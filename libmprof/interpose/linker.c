/* The dynamic linker's own functions (linker.h). */
#define _GNU_SOURCE
#include "interpose/linker.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

typedef void *dlopen_type(const char *file, int flags);
typedef void *dlsym_type(void *handle, const char *name);

static dlopen_type *libc_dlopen;
static dlsym_type *libc_dlsym;

/* dlvsym() is not hooked. Versions: glibc 2.34 moved all of these into libc; before that each
 * architecture has its first version, and x86-64 a later one of dladdr1(). */
void *libc_function(const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17",
                                           "GLIBC_2.3.3"};
    void *address = NULL;
    for (size_t i = 0; address == NULL && i < sizeof versions / sizeof versions[0]; i++)
        address = dlvsym(RTLD_NEXT, name, versions[i]);
    return address;
}

static dlsym_type *find_dlsym(void)
{
    if (libc_dlsym == NULL)
        libc_dlsym = (dlsym_type *)libc_function("dlsym");
    return libc_dlsym;
}

void *next_hook(const char *name)
{
    void *next = find_dlsym()(RTLD_NEXT, name);
    return next != NULL ? next : libc_function(name);
}

void *real_dlopen(const char *file, int flags)
{
    if (libc_dlopen == NULL)
        libc_dlopen = (dlopen_type *)libc_function("dlopen");
    return libc_dlopen(file, flags);
}

void *real_dlsym(void *handle, const char *name)
{
    return find_dlsym()(handle, name);
}

void *find_from(const char *path, const char *name)
{
    void *handle = real_dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return NULL;
    void *address = real_dlsym(handle, name);
    dlclose(handle);
    return address;
}

const struct link_map *link_map_of(const void *address)
{
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 ? map : NULL;
}

/* Of those that were loaded with the program. */
static const struct link_map *last_at_start;

static __attribute__((constructor)) void note_start(void)
{
    last_at_start = link_map_of((const void *)note_start);
    while (last_at_start != NULL && last_at_start->l_next != NULL)
        last_at_start = last_at_start->l_next;
}

bool was_loaded_before(const struct link_map *object, const struct link_map *other)
{
    for (; other != NULL; other = other->l_prev)
        if (other == object)
            return true;
    return false;
}

bool was_loaded_at_start(const struct link_map *object)
{
    return last_at_start == NULL || was_loaded_before(object, last_at_start);
}
