/* The summary at MPI_Finalize (summary.h).
 *
 * Every rank adds its own record up, then two reductions bring sums and maxima (minima are maxima
 * of negatives) with their ranks to rank 0: the cost grows with log P. They begin when all ranks
 * are there (arrival.h), and still are nonblocking with a limit of patience, because a rank may be
 * killed meanwhile; after a step that did not end no other is started. Buffers are static: a
 * reduction that was given up may still write to them.
 */
#include "summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arrival.h"
#include "clock.h"
#include "harmless_write.h"
#include "mpi_functions.h"
#include "mpi_services.h"
#include "options.h"
#include "recorder.h"
#include "summary_text.h"
#include "warn.h"

static struct function_sum sums[MPI_FUNCTION_COUNT];
static double values[SUMMARY_SUMS];
static double totals[SUMMARY_SUMS];
static struct double_rank extremes[SUMMARY_EXTREMES];
static struct double_rank extreme_of_all[SUMMARY_EXTREMES];

static void gather_own(const struct mprof_run *run, const struct mprof_clock *clock,
                       const struct identity *identity, bool has_file, uint64_t finalize_ticks)
{
    uint64_t busiest = recorders_sum(sums, MPI_FUNCTION_COUNT, clock->read_ticks) + finalize_ticks;
    sums[FN_MPI_Finalize].calls++; /* the call that is going on */
    sums[FN_MPI_Finalize].ticks += finalize_ticks;
    double wallclock_s = (double)(clock->latest.monotonic_ns - clock->start.monotonic_ns) * 1e-9;
    values[SUM_WALLCLOCK] = wallclock_s;
    values[SUM_MPI] = clock_seconds(clock, busiest);
    values[SUM_COMPUTE] = wallclock_s - values[SUM_MPI];
    values[SUM_USER] = (double)run->user_ns * 1e-9;
    values[SUM_SYSTEM] = (double)run->system_ns * 1e-9;
    values[SUM_MEMORY] = (double)run->peak_memory_bytes;
    values[SUM_FILES] = has_file;
    for (int metric = 0; metric < SUMMARY_METRICS; metric++) {
        extremes[2 * (size_t)metric] = (struct double_rank){values[metric], identity->rank};
        extremes[2 * (size_t)metric + 1] = (struct double_rank){-values[metric], identity->rank};
    }
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
        double *three = &values[SUM_FUNCTIONS + 3 * (size_t)function];
        three[0] = clock_seconds(clock, sums[function].ticks);
        three[1] = (double)sums[function].calls;
        three[2] = (double)sums[function].bytes;
    }
}

/* In small messages: an MPI takes other ways for large ones, which the program may not have used,
 * and one that the kernel refuses may end the process (baseline.c). */
static bool reduce_to_0(void)
{
    enum { PIECE = 256 };
    for (int at = 0; at < SUMMARY_SUMS; at += PIECE) {
        int count = SUMMARY_SUMS - at < PIECE ? SUMMARY_SUMS - at : PIECE;
        if (!arrival_wait_for_step(mpi_services->start_sum_at_0(values + at, totals + at, count)))
            return false;
    }
    return arrival_wait_for_step(
        mpi_services->start_maximum_at_0(extremes, extreme_of_all, SUMMARY_EXTREMES));
}

/* Where standard error is the program's own file by now, there is no summary: the profile has it
 * all. */
static void put_out(const char *text, size_t bytes)
{
    if (strcmp(options.summary, "text") == 0) {
        (void)write_to_standard_error(text, bytes);
        return;
    }
    int file = open(options.summary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || !write_harmlessly(file, text, bytes))
        warn("cannot write the summary to %s: %s", options.summary, strerror(errno));
    if (file >= 0)
        close(file);
}

bool summary_is_wanted(void)
{
    return strcmp(options.summary, "off") != 0;
}

bool summary_print(const struct identity *identity, const struct mprof_run *run,
                   const struct mprof_clock *clock, bool has_file, bool all_are_here,
                   uint64_t finalize_ticks)
{
    gather_own(run, clock, identity, has_file, finalize_ticks);
    bool complete = all_are_here && reduce_to_0();
    if (identity->rank != 0)
        return complete;
    if (!complete) {
        warn("not all ranks came to MPI_Finalize and answered in time (MPROF_PATIENCE=%llu), so "
             "there is no summary; mprof report %s shows what each rank did",
             (unsigned long long)options.patience_s, identity->folder);
        return false;
    }
    static char buffer[32 * 1024];
    struct text text = {buffer, sizeof buffer, 0};
    summary_write(&text, identity, run, totals, extreme_of_all);
    put_out(buffer, text.length);
    return true;
}
