/* Which OpenMP library of GCC a caller is bound to: there may be several in one process.
 *
 * Wheels of Python bring a libgomp each, loaded for them alone. A region must be run by the library
 * that its caller would have got without libmprof, since the caller asks the same one for its
 * thread number. gomp_regions.c asks at each call, on any thread. What was found is remembered by
 * return address until a library is unloaded. Without a lock.
 */
#ifndef MPROF_GOMP_BINDING_H
#define MPROF_GOMP_BINDING_H

#include <stdint.h>

enum gomp_function {
#define GOMP_REGION(name, version, parameters, arguments) GOMP_##name,
#define GOMP_WAIT(type, name, version) GOMP_##name,
#define GOMP_TASK(name, version) GOMP_##name,
#include "interpose/gomp_functions.inc"
#undef GOMP_REGION
#undef GOMP_WAIT
#undef GOMP_TASK
    GOMP_FUNCTIONS
};

/* The functions of one library. */
struct gomp_target {
    void *function;
    int (*thread_number)(void); /* NULL = unknown: its regions are not counted */
    int (*team_size)(void);
};

/* What a call from `caller`, a return address, would have reached. Its `function` is NULL if there
 * is none: the caller's reference is weak. */
struct gomp_target gomp_find(enum gomp_function function, const void *caller);

/* A library was unloaded: addresses may come to mean something else. From any thread. */
void gomp_forget_callers(void);

#endif
