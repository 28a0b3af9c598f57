/* Fills the tables between the program and its MPI (mpi_binding.h). */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/loader.h"
#include "interpose/mpi_binding.h"
#include "interpose/other_tools.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

void *mpi_pmpi[MPI_FUNCTION_COUNT];
void *mpi_next[MPI_FUNCTION_COUNT];

static struct mpi_library library;
static bool bound;

const struct mpi_library *bound_mpi(void)
{
    return &library;
}

static int compare_names(const void *key, const void *function)
{
    return strcasecmp(key, *(const char *const *)function);
}

int mpi_function_named(const char *name)
{
    /* Sorted by name without regard to case (mpi_functions.txt), but for the ten at the end. */
    const char *const *found = bsearch(name, mpi_function_names, MPI_FUNCTIONS_SORTED,
                                       sizeof mpi_function_names[0], compare_names);
    if (found != NULL && strcmp(*found, name) == 0)
        return (int)(found - mpi_function_names);
    for (int function = MPI_FUNCTIONS_SORTED; function < MPI_FUNCTION_COUNT; function++)
        if (strcmp(mpi_function_names[function], name) == 0)
            return function;
    return -1;
}

/* PMPI_X; or MPI_X where a library lacks the profiling name (MPICH's ABI library for functions
 * removed in MPI 3.0). */
static void *library_function(void *handle, const char *name)
{
    char pmpi[96];
    snprintf(pmpi, sizeof pmpi, "P%s", name);
    void *address = real_dlsym(handle, pmpi);
    return address != NULL ? address : real_dlsym(handle, name);
}

static void *slot_for(const struct abi_family *family, int function)
{
    if (mpi_next[function] == NULL)
        return (void *)family->unsupported;
    /* A function that only another library has (one of a newer standard, made from functions of the
     * MPI) is called directly, because its wrapper might ask the MPI about it. */
    void *wrapper = mpi_pmpi[function] != NULL ? family->wrappers[function] : NULL;
    return wrapper != NULL ? wrapper : mpi_next[function];
}

static void fill_tables(void)
{
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        mpi_pmpi[function] = library_function(library.handle, mpi_function_names[function]);
    find_other_tools();
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        mpi_next[function] = next_entry(function, next_definition(function));
    /* All library functions come first: another thread may use a slot as soon as it is set. */
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        __atomic_store_n(&mpi_slots[function], slot_for(library.family, function),
                         __ATOMIC_RELEASE);
}

bool bind_mpi(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (__atomic_load_n(&bound, __ATOMIC_ACQUIRE))
        return true;
    int program_errno = errno;
    pthread_mutex_lock(&lock);
    if (!bound && find_mpi(&library) && library.family->bind(library.handle)) {
        fill_tables();
        hide_missing_functions();
        redirect_tool_in_program();
        mpi_services = library.family->services;
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
