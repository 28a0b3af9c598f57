/* What the programs of the zoo share. Each of them has planted causes, and a mended twin of each:
 *
 *     PROGRAM CASE planted|mended [FOLDER]
 *
 * A head line "zoo: CASE KIND rank RANK at PLACE" says what the report must say of the planted form
 * (score.py reads it). The amount of work is the same on any machine and beside any load: it is
 * arithmetic, never a time. The work of a run is divided by the number of ranks where ranks share
 * it. FOLDER is for files that a program makes. */
#ifndef ZOO_H
#define ZOO_H
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS_PER_US = 700 }; /* of a CPU that is some years old */

#define PLACE __attribute__((noinline)) static void /* a function that reports can name */

static int rank, size;
static bool mended;
static const char *folder = ".";
static volatile double kept;

/* Arithmetic of about so many microseconds, in the function that wants it. */
__attribute__((always_inline)) static inline void compute_us(long us)
{
    double value = kept;
    for (long i = 0; i < us * LOOPS_PER_US; i++) {
        value = value * 0.999 + 1.0;
        __asm__ volatile("" : "+x"(value));
    }
    kept = value;
}

/* A macro, so that the call stands in the line of the program that says it. */
#define sum_of_all(value) \
    (zoo_mine = (value), MPI_Allreduce(&zoo_mine, &zoo_sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))
__attribute__((unused)) static double zoo_mine, zoo_sum;

struct zoo_case {
    const char *name;
    void (*run)(void);
};

static int run_case(int count, char **words, const struct zoo_case *cases)
{
    mended = count > 2 && strcmp(words[2], "mended") == 0;
    folder = count > 3 ? words[3] : ".";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (; count > 2 && cases->name != NULL; cases++)
        if (strcmp(cases->name, words[1]) == 0) {
            cases->run();
            MPI_Finalize();
            return 0;
        }
    fprintf(stderr, "usage: %s CASE planted|mended [FOLDER]\n", words[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
}
#endif
