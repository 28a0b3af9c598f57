/* The dynamic linker, watched: programs that load their MPI while they run, and Fortran.
 *
 * Three things must happen when a library appears, wherever it comes from:
 *
 *   - An MPI library: bind to it (bind_mpi.c), and show our own exports of functions that it has.
 *     Until then they are hidden, so that weak references stay NULL, as they are without mprof
 *     (early/early.h). PyPI's mpi4py tests 287 functions that way.
 *   - An MPI's Fortran library: its calls of PMPI_X go to our wrapper of X (fortran_got.c). So
 *     Fortran needs no wrappers of its own, and no knowledge of how a compiler mangles names.
 *   - A client that looks MPI functions up with dlsym(), as Julia does, gets our trampolines, which
 *     are what `&MPI_X` is for it. Who asks dladdr() which file has them is told the MPI's.
 *
 * Libraries of the program itself are there when our constructor runs. For the others dlopen() and
 * dlsym() are exported as hooks (hooks/hooks_*.S) that look around for new libraries and then jump
 * to the real function: a jump, not a call, because libc takes search paths from the caller's
 * return address. A library that was loaded by the last dlopen() is seen at the dlsym() that
 * follows, at the next dlopen(), or at the first MPI call.
 */
#ifndef MPROF_LOADER_H
#define MPROF_LOADER_H

#include <stdbool.h>

#include "base/hot.h"

/* The dynamic linker's own functions; inside this library plain dlopen and dlsym would be the
 * hooks. */
void *real_dlopen(const char *file, int flags);
void *real_dlsym(void *handle, const char *name);

/* Of the dynamic linker, past all hooks. NULL = there is none. */
void *libc_function(const char *name);

/* The function that would get the program's call without mprof. Another library may hook it, too,
 * such as AddressSanitizer. */
void *next_hook(const char *name);

/* What a hook of hooks/hooks_*.S does next: return `result`, or if that is NULL jump to `jump` with
 * the caller's own arguments. */
struct hook_answer {
    void *result;
    void *jump;
};

/* The function of the dynamic linker that libmprof.so exports in its place, or NULL. */
void *hook_named(const char *name);

/* The object that contains this address; NULL = none. */
struct link_map;
const struct link_map *link_map_of(const void *address);

/* Was the object loaded before the other one, or is it that one? */
bool was_loaded_before(const struct link_map *object, const struct link_map *other);

/* Was it loaded with the program? Before our constructor: so far everything was. */
bool was_loaded_at_start(const struct link_map *object);

/* Binds and patches what appeared since the last time; cheap when nothing did. From any thread. */
void look_around(void);

/* The same for a hook. False = our constructor has not run, and nothing of libc may be called. */
bool look_around_once_started(void);

/* Sends the PMPI calls of an MPI's Fortran libraries to our wrappers; those that were patched
 * before are left alone. */
void patch_fortran_libraries(void);

/* Is this return address in one of an MPI's Fortran libraries? */
bool is_fortran_call(const void *return_address);

/* Is this object, the program or a library of this path, linked with the MPI in use? */
struct elf_symbols;
bool needs_mpi(const struct elf_symbols *object, const char *path);

/* By its name, one of an MPI's Fortran libraries. */
bool is_fortran_library(const char *path);

/* Is this the return address of a call that a Fortran library makes on its own behalf, inside its
 * function for something else than `function`? Then it is not the program's call. */
bool is_fortran_helper_call_there(const void *return_address, int function);
extern HIDDEN int fortran_libraries; /* how many there are in the process */

static inline bool is_fortran_helper_call(const void *return_address, int function)
{
    return __builtin_expect(fortran_libraries != 0, 0) &&
           is_fortran_helper_call_there(return_address, function);
}

#endif
