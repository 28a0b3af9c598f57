/* Watching the dynamic linker (loader.h): when to look. */
#define _GNU_SOURCE
#include "interpose/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>

#include "interpose/bind_mpi.h"
#include "interpose/fortran_got.h"
#include "interpose/gomp.h"
#include "interpose/gpu_references.h"
#include "interpose/hooks.h"
#include "interpose/linker.h"
#include "interpose/references.h"
#include "interpose/second_mpi.h"
#include "record/objects/parallel_regions.h"
#include "record/paths/callsites.h"

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
    gpu_redirect_references();
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
