/* The MPI library that was found in this process, and the tables that connect the program with
 * it:
 *
 *   program -> trampoline MPI_X -> mpi_slots[FN_MPI_X] -> wrapper of X
 *                                                         -> mpi_next[FN_MPI_X] -> PMPI_X
 *
 * mpi_pmpi[] is what mprof itself calls; mpi_next[] differs from it where another tool is loaded.
 *
 * Slots begin as lazy stubs that call mprof_resolve(); bind_mpi.c fills the tables.
 */
#ifndef MPROF_MPI_BINDING_H
#define MPROF_MPI_BINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/mpi_functions.h"
#include "base/hot.h"
#include "mpi/mpi_services.h"

extern HIDDEN void *mpi_pmpi[MPI_FUNCTION_COUNT]; /* NULL = the library has no such function */
/* Where the wrapper of X passes the call on: PMPI_X, or another tool's MPI_X (bind_mpi.h). */
extern HIDDEN void *mpi_next[MPI_FUNCTION_COUNT];
extern void *mpi_slots[MPI_FUNCTION_COUNT]; /* in the trampolines' assembly */

/* What MPI_X is for the program: its trampoline, of trampolines_*.S. Whoever asks for the address
 * of MPI_X gets this one, so that all answers are the same, as they are without mprof. */
void *mpi_trampoline(int function);

/* The function whose trampoline is there, or -1. */
int mpi_trampoline_at(const void *address);

/* Id of the function of this name, or -1. */
int mpi_function_named(const char *name);

/* What one ABI family brings: made from wrappers.c, once per column of
 * api/abi_facts.txt. */
struct abi_family {
    uint32_t abi;                      /* mprof_abi */
    void *(*wrapper_of)(int function); /* after bind(); NULL = call the library directly */
    int (*unsupported)(void);          /* returns MPI_ERR_UNSUPPORTED_OPERATION */
    const struct mpi_services *services;
    bool (*bind)(void *library); /* looks the family's data symbols up with dlsym(); false = one is
                                    missing */
};
extern const struct abi_family abi_openmpi;
extern const struct abi_family abi_mpich;
extern const struct abi_family abi_mpi5;

struct mpi_library {
    void *handle; /* of dlopen(); never closed */
    char path[1024];
    const struct abi_family *family;
};

/* Looks for the MPI among the loaded objects, for bind_mpi(); false = there is none (yet). */
bool find_mpi(void);

/* The library in use; path "" before it was found. */
const struct mpi_library *bound_mpi(void);

/* Is this object, the program or a library of this path, linked with the MPI in use? */
struct elf_symbols;
bool needs_mpi(const struct elf_symbols *object, const char *path);

#endif
