/* The link variant: libmprof.a, for programs that contain their MPI library.
 *
 * Nothing can be preloaded in front of a function that is in the executable itself. So the program
 * is linked once more, with libmprof.a before the MPI's archive. For each MPI function that the
 * program uses the linker takes our object of that name: a trampoline MPI_X, and an entry {id,
 * PMPI_X} in the section mprof_pmpi, which makes the linker take PMPI_X from the MPI's archive.
 * This file collects the entries before main() runs; from there on everything is as in libmprof.so.
 *
 * Known limits: MPICH's ABI only; Fortran calls are seen where the MPI's Fortran library calls
 * MPI_X (MPICH: mpif.h and use mpi), not where it calls PMPI_X (parts of mpi_f08).
 */
#define _GNU_SOURCE /* struct dl_phdr_info */
#include <stddef.h>

#include "interpose/fortran_got.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "interpose/second_mpi.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void * */

void *mpi_pmpi[MPI_FUNCTION_COUNT];
void *mpi_next[MPI_FUNCTION_COUNT];
__attribute__((visibility("default"))) void *mpi_slots[MPI_FUNCTION_COUNT];

struct static_function {
    long id;
    void *address;
};
/* The linker's own names for the start and the end of the section. */
extern const struct static_function __start_mprof_pmpi[]; /* NOLINT(bugprone-reserved-identifier) */
extern const struct static_function __stop_mprof_pmpi[];  /* NOLINT(bugprone-reserved-identifier) */

static struct mpi_library library = {.path = "(linked statically)", .family = &abi_mpich};

const struct mpi_library *bound_mpi(void)
{
    return &library;
}

/* Only Open MPI's and MPI-5 programs would ask, through abi_symbols and for the monitoring. */
void *real_dlopen(const char *file, int flags)
{
    (void)file;
    (void)flags;
    return NULL;
}

void *real_dlsym(void *handle, const char *name)
{
    (void)handle;
    (void)name;
    return NULL;
}

bool is_fortran_call(const void *return_address)
{
    (void)return_address;
    return false;
}

int fortran_libraries; /* none that matters here */

bool is_fortran_helper_call_there(const void *return_address, int function)
{
    (void)return_address;
    (void)function;
    return false;
}

void list_not_covered(char *text, size_t capacity)
{
    if (capacity > 0)
        text[0] = '\0'; /* the linker knew, we do not */
}

void second_mpi_list(char *names, size_t capacity)
{
    if (capacity > 0)
        names[0] = '\0'; /* the program has no other */
}

/* Before other constructors, which might call MPI_Initialized. */
static __attribute__((constructor(101))) void bind_static(void)
{
    const struct static_function *function = __start_mprof_pmpi;
    library.family->bind(NULL);
    for (; function < __stop_mprof_pmpi; function++) {
        void *wrapper = library.family->wrapper_of((int)function->id);
        mpi_pmpi[function->id] = function->address;
        mpi_next[function->id] = function->address;
        mpi_slots[function->id] = wrapper != NULL ? wrapper : function->address;
    }
    mpi_services = library.family->services;
}
