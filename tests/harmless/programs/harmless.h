/* What the programs of this folder share: saying what they did, so that the run without and the run
 * with mprof can be compared, and what mprof counted with what was called.
 *
 * A program prints only what is the same in every run. For each function whose count is checked it
 * prints made("MPI_Send", calls): calls of this rank. What an MPI cannot do: not_here("reason");
 * what this machine lacks: not_here("not installed: package").
 */
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
