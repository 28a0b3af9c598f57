/* The dynamic linker, watched: programs that load their MPI while they run, and Fortran.
 *
 * Three things must happen when a library appears, wherever it comes from:
 *
 *   - An MPI library: bind to it (bind_mpi.c), and show our own exports of functions that it has.
 *     Until then they are hidden, so that weak references stay NULL, as they are without mprof
 *     (early.h). PyPI's mpi4py tests 287 functions that way.
 *   - An MPI's Fortran library: its calls of PMPI_X go to our wrapper of X (fortran_got.h).
 *   - A client that looks MPI functions up with dlsym(), as Julia does, gets our trampolines, which
 *     are what `&MPI_X` is for it. dladdr() gives the MPI's file for them.
 *
 * Libraries of the program itself are there when our constructor runs. For the others dlopen() and
 * dlsym() are exported as hooks (below) that look around for new libraries first. A library that
 * was loaded by the last dlopen() is seen at the dlsym() that follows, at the next dlopen(), or at
 * the first MPI call.
 */
#ifndef MPROF_LOADER_H
#define MPROF_LOADER_H

#include <stdbool.h>

/* Binds and patches what appeared since the last time; cheap when nothing did. From any thread. */
void look_around(void);

/* Of gomp.c: a library was unloaded: addresses may come to mean something else. From any thread. */
void gomp_forget_callers(void);

/* ---- hooks ----------------------------------------------------------------------------------- */

/* The functions of the dynamic linker that libmprof.so exports in its place. From any thread.
 *
 *   - dlopen() and dlsym() are assembly (hooks_*.S). They ask loader.c, and then jump
 *     to the real function: a jump, not a call, because libc takes search paths from the caller's
 *     return address.
 *   - dladdr() and dladdr1(), for the file that defines what is at an address: of our trampolines
 * the MPI's own file and function. Programs open that file to find out which MPI it is, or to make
 *     it global.
 */

/* What a hook of hooks_*.S does next: return `result`, or if that is NULL jump to `jump` with the
 * caller's own arguments. */
struct hook_answer {
    void *result;
    void *jump;
};

/* What libmprof.so exports under this name of the dynamic linker's, or NULL. */
void *hook_named(const char *name);

#endif
