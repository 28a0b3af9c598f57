/* Marks for what runs at every MPI call; MPI_Comm_rank is what is counted here.
 *
 * HIDDEN on variables: they are in this library. -fvisibility=hidden says so of definitions only;
 * without it each use takes one instruction more.
 *
 * HOT on functions in headers: inlined always. Left to itself the compiler calls them, and saves
 * and restores registers for that. With HIDDEN, 338 instructions became 263.
 *
 * COLD on what is rarely needed: never inlined, so that its callers save no registers for it. With
 * the rows that a path remembers (call.c), 263 became 200.
 */
#ifndef MPROF_HOT_H
#define MPROF_HOT_H

#define HIDDEN __attribute__((visibility("hidden")))
#define HOT inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))

#endif
