/* What calls.c and the same program in Fortran and Python share with the truth programs of
 * tests/mpi, and more. Besides the truth, each rank writes what MPI gave it to
 * $TRUTH_DIR/results-<rank>.txt. run_cell.py compares these files with and without mprof. */
#ifndef CALLS_H
#define CALLS_H

#include "truth.h"

static FILE *results;

static inline void results_begin(void)
{
    char path[4096];
    const char *folder = getenv("TRUTH_DIR");
    snprintf(path, sizeof path, "%s/results-%d.txt", folder != NULL ? folder : ".", truth_rank);
    results = fopen(path, "w");
    if (results == NULL) {
        perror(path);
        exit(2);
    }
}

static inline void results_end(void)
{
    CHECK(fclose(results) == 0);
}

static inline void note(const char *what, long long value)
{
    fprintf(results, "%s %lld\n", what, value);
}

static inline void note_ints(const char *what, const int *values, int count)
{
    fprintf(results, "%s", what);
    for (int i = 0; i < count; i++)
        fprintf(results, " %d", values[i]);
    fprintf(results, "\n");
}

static inline void note_doubles(const char *what, const double *values, int count)
{
    fprintf(results, "%s", what);
    for (int i = 0; i < count; i++)
        fprintf(results, " %a", values[i]);
    fprintf(results, "\n");
}

static inline void note_status(const char *what, const MPI_Status *status)
{
    fprintf(results, "%s from %d tag %d\n", what, status->MPI_SOURCE, status->MPI_TAG);
}

#endif
