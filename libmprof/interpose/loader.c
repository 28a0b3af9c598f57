/* Watching the dynamic linker (loader.h): when to look. */
#define _GNU_SOURCE
#include "interpose/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>

#include "interpose/gomp_binding.h"
#include "interpose/mpi_binding.h"
#include "interpose/other_tools.h"
#include "interpose/references.h"
#include "interpose/second_mpi.h"
#include "record/objects/parallel_regions.h"
#include "record/paths/callsites.h"

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

static int take_load_counts(struct dl_phdr_info *info, size_t size, void *counts)
{
    (void)size;
    *(struct load_counts *)counts = (struct load_counts){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

/* A new library may take the place of an unloaded one, so addresses that were seen there mean
 * nothing now. */
static void forget_addresses(void)
{
    callsites_forget();
    parallel_forget_places();
    gomp_forget_callers();
    second_mpi_forget();
}

static void notice_unloads(unsigned long long unloads)
{
    static unsigned long long seen;
    if (__atomic_exchange_n(&seen, unloads, __ATOMIC_ACQ_REL) != unloads)
        forget_addresses();
}

void look_around(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned long long seen;
    struct load_counts counts = {0, 0};
    dl_iterate_phdr(take_load_counts, &counts);
    modules_note(counts);
    notice_unloads(counts.unloads);
    if (counts.loads == __atomic_load_n(&seen, __ATOMIC_ACQUIRE))
        return;
    int program_errno = errno;
    /* If another thread looks at this moment, it does the work for both. Waiting here could
     * deadlock with the linker's lock. */
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    if (bind_mpi()) {
        second_mpi_look();
        patch_fortran_libraries();
        references_redirect();
    }
    __atomic_store_n(&seen, counts.loads, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    errno = program_errno;
}

/* Other constructors run before ours. AddressSanitizer asks dlsym() for the functions that it
 * replaces. Until it has them, the functions that we would call here lead nowhere. */
static bool has_started;

static __attribute__((constructor)) void look_at_start(void)
{
    look_around();
    has_started = true;
}

bool look_around_once_started(void)
{
    if (has_started)
        look_around();
    return has_started;
}

struct hook_answer mprof_before_dlopen(const char *file, int flags);

struct hook_answer mprof_before_dlopen(const char *file, int flags)
{
    static void *next;
    (void)file;
    if (next == NULL)
        next = next_hook("dlopen");
    (void)look_around_once_started();
    if (flags & RTLD_DEEPBIND)
        references_expect_deep_binding();
    return (struct hook_answer){NULL, next};
}
