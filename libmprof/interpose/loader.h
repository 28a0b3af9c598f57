/* The dynamic linker, watched: programs that load their MPI while they run, and Fortran.
 *
 * Three things must happen when a library appears, wherever it comes from:
 *
 *   - An MPI library: bind to it (bind_mpi.c), and show our own exports of functions that it has.
 *     Until then they are hidden, so that weak references stay NULL, as they are without mprof
 *     (early.h). PyPI's mpi4py tests 287 functions that way.
 *   - An MPI's Fortran library: its calls of PMPI_X go to our wrapper of X (fortran_got.h).
 *   - A client that looks MPI functions up with dlsym(), as Julia does, gets our trampolines, which
 *     are what `&MPI_X` is for it. Who asks dladdr() which file has them is told the MPI's.
 *
 * Libraries of the program itself are there when our constructor runs. For the others dlopen() and
 * dlsym() are exported as hooks (hooks.h) that look around for new libraries first. A library that
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

#endif
