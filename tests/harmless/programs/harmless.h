/* What the programs of this folder share. They say what they did. So the run without mprof can be
 * compared with the run with mprof, and mprof's counts with the calls.
 *
 * A program prints only what is the same in every run. For each function whose count is checked it
 * prints made("MPI_Send", calls): the calls of this rank. If an MPI cannot do something:
 * not_here("reason"). If this machine lacks something: not_here("not installed: package"). */
#ifndef HARMLESS_H
#define HARMLESS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void made(const char *function, long calls)
{
    printf("calls %s %ld\n", function, calls);
    fflush(stdout);
}

static inline void not_here(const char *reason)
{
    printf("%s\n", reason);
    fflush(stdout);
    exit(77);
}

#define REQUIRE(condition)                                                 \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            fflush(stdout);                                                \
            abort();                                                       \
        }                                                                  \
    } while (0)

#endif
