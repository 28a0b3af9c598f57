/* The layout of the summary, apart from how its numbers come together. */
#ifndef MPROF_SUMMARY_TEXT_H
#define MPROF_SUMMARY_TEXT_H

#include "api/mpi_functions.h"
#include "base/warn.h"
#include "file/identity.h"
#include "mprof/format/format.h"

/* Metrics with sum, minimum and maximum, then sums alone, then time, calls and bytes per function.
 * Seconds and bytes. */
enum {
    SUM_WALLCLOCK,
    SUM_COMPUTE,
    SUM_MPI,
    SUM_MEMORY,
    SUMMARY_METRICS,
    SUM_USER = SUMMARY_METRICS,
    SUM_SYSTEM,
    SUM_OFF_CPU, /* of SUM_COMPUTE: without a CPU, or blocked */
    SUM_FILES,   /* ranks that have a rank file */
    SUM_FUNCTIONS,
    SUMMARY_SUMS = SUM_FUNCTIONS + 3 * MPI_FUNCTION_COUNT,
    SUMMARY_EXTREMES = 2 * SUMMARY_METRICS /* maximum, negated minimum */
};

struct double_rank {
    double value;
    int rank;
};

void summary_write(struct text *text, const struct identity *identity, const struct mprof_run *run,
                   const double sums[SUMMARY_SUMS],
                   const struct double_rank extremes[SUMMARY_EXTREMES]);

#endif
