/* Fills the tables between the program and its MPI (bind_mpi.h). */
#define _GNU_SOURCE
#include "interpose/bind_mpi.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>

#include "interpose/definitions.h"
#include "interpose/early/early.h"
#include "interpose/mpi_binding.h"
#include "interpose/other_tools.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

static bool bound;

static void *slot_for(const struct abi_family *family, int function)
{
    if (mpi_next[function] == NULL)
        return (void *)family->unsupported;
    /* A function that only another library has (one of a newer standard, made from functions of the
     * MPI) is called directly, because its wrapper might ask the MPI about it. */
    void *wrapper = mpi_pmpi[function] != NULL ? family->wrapper_of(function) : NULL;
    return wrapper != NULL ? wrapper : mpi_next[function];
}

static void fill_tables(void)
{
    definitions_open(bound_mpi());
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        mpi_pmpi[function] = definition_in_mpi(function);
    find_other_tools();
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        mpi_next[function] = next_entry(function, next_definition(function));
    /* All library functions come first: another thread may use a slot as soon as it is set. */
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        __atomic_store_n(&mpi_slots[function], slot_for(bound_mpi()->family, function),
                         __ATOMIC_RELEASE);
}

static int show_names_with_lock(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)info;
    (void)size;
    (void)context;
    early_look_for_mpi();
    return 1;
}

/* Mostly they were shown when the library was loaded. */
static void show_names(void)
{
    dl_iterate_phdr(show_names_with_lock, NULL);
}

bool bind_mpi(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (__atomic_load_n(&bound, __ATOMIC_ACQUIRE))
        return true;
    int program_errno = errno;
    pthread_mutex_lock(&lock);
    if (!bound && find_mpi() && bound_mpi()->family->bind(bound_mpi()->handle)) {
        fill_tables();
        show_names();
        redirect_tool_in_program();
        mpi_services = bound_mpi()->family->services;
        __atomic_store_n(&bound, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    errno = program_errno;
    return bound;
}

/* The result of a call when there is no MPI at all. No ABI is known, so any error code will do. */
static int no_mpi(void)
{
    return 16;
}

/* Called by the lazy stubs (trampolines_*.S) at the first MPI call: where to jump. */
void *mprof_resolve(uint32_t function);
void *mprof_resolve(uint32_t function)
{
    return bind_mpi() ? mpi_slots[function] : (void *)no_mpi;
}
