/* All wrappers of one ABI family. CMake compiles this file for each column of api/abi_facts.txt,
 * with
 *
 *   MPROF_FAMILY      the object that this file defines: abi_openmpi, abi_mpich ...
 *   MPROF_ABI         its number in the profile format
 *   MPROF_ABI_HEADER  the generated header with its facts
 *
 * No mpi.h is included: what a wrapper must know of an ABI are handle types, a few constants and
 * where MPI_SOURCE is in a status; these are in api/abi_facts.txt and are compared with real
 * mpi.h files by a test.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

/* Prototypes of 700 functions: most wrappers leave some argument alone. Handles are int or pointers
 * and become numbers. Functions are kept as void *, as dlsym() gives them. Counts are int or
 * MPI_Count. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wint-to-pointer-cast"
#pragma GCC diagnostic ignored "-Wpointer-to-int-cast"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Woverlength-strings"

#include MPROF_ABI_HEADER
#include "wrap/mpi_types.h"

#include "api/mpi_prototypes.h"

#include "base/options.h"
#include "interpose/fortran_got.h"
#include "interpose/linker.h"
#include "wrap/completions.h"
#include "wrap/epochs.h"
#include "wrap/payload.h"
#include "wrap/services.h"
#include "wrap/spawned.h"
#include "wrap/watch.h"
#include "wrap/wrap.h"

/* The tables of the wrappers by function id: the ordinary ones, and those that watch. The assembler
 * subtracts, because C has no constant for the distance of a function. Pointers would be written by
 * the dynamic linker in each process, those of all families: 16 KiB of a rank's own, and 48 KiB
 * that are read for it. 0: never wrapped, the trampoline goes straight to the MPI library. */
#define WRAPPER __attribute__((used)) static
#define WRAPPER_OFFSET(table, wrapper) ".long " #wrapper " - " #table "\n"
#define NO_WRAPPER ".long 0\n"
#define WRAPPER_TABLE(table, rows) \
    __asm__(".pushsection .rodata\n.p2align 2\n" #table ":\n" rows ".popsection\n");
extern HIDDEN const int32_t mprof_wrapper_offsets[MPI_FUNCTION_COUNT];
extern HIDDEN const int32_t mprof_watch_offsets[MPI_FUNCTION_COUNT];

#include "api/wrappers.inc"

static bool watching;

static void *wrapper_of(int function)
{
    const int32_t *const watch = mprof_watch_offsets;
    const int32_t *const table = watching && watch[function] != 0 ? watch : mprof_wrapper_offsets;
    return table[function] == 0 ? NULL : (char *)(uintptr_t)table + table[function];
}

/* What another thread has begun ends in the ordinary wrapper. */
static void follow_buffers(void)
{
    const int32_t *const usual = mprof_wrapper_offsets;
    for (int i = 0; i < MPI_FUNCTION_COUNT && !watching; i++)
        if (mprof_watch_offsets[i] != 0 && usual[i] != 0 &&
            __atomic_load_n(&mpi_slots[i], __ATOMIC_RELAXED) == (char *)(uintptr_t)usual + usual[i])
            __atomic_store_n(&mpi_slots[i],
                             (char *)(uintptr_t)mprof_watch_offsets + mprof_watch_offsets[i],
                             __ATOMIC_RELEASE);
}

static int unsupported(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* A handle's address as the MPI library itself resolves it: an executable that was not compiled as
 * position-independent code has a copy of the object (R_X86_64_COPY), which everyone uses then; the
 * library's own is dead. */
static void *handle_symbol(void *library, const char *name)
{
    void *address = real_dlsym(RTLD_DEFAULT, name);
    return address != NULL ? address : real_dlsym(library, name);
}

static bool bind_family(void *library)
{
    for (int i = 0; i < ABI_SYMBOL_COUNT; i++)
        if ((abi_symbols[i] = handle_symbol(library, abi_symbol_names[i])) == NULL)
            return false;
    services.comm_world = HANDLE(MPI_COMM_WORLD);
    services.comm_self = HANDLE(MPI_COMM_SELF);
    watching = options_want_watching();
    return true;
}

const struct abi_family MPROF_FAMILY = {
    .abi = MPROF_ABI,
    .wrapper_of = wrapper_of,
    .unsupported = unsupported,
    .services = &services,
    .bind = bind_family,
};
