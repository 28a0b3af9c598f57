/* OpenMP of GCC (gomp.c). */
#ifndef MPROF_GOMP_H
#define MPROF_GOMP_H

/* A library was unloaded: addresses may come to mean something else. From any thread. */
void gomp_forget_callers(void);

#endif
