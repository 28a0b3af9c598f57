/* What bounds the run, as far as sums over ranks tell (summary_text.h).
 *
 * The words and the limits are those of the report (parser/verdict/verdict_rules.cc). A class is
 * named only if the report, which knows more, cannot find another one. Sums do not tell waiting
 * from transfer, so a class is named only where neither can be most of the MPI time. */
#include <stdio.h>

#include "finalize/summary_text.h"
#include "mprof/format/verdict_limits.h"

/* Making communicators is start-up, too, but part of it may be the wait for a late rank. */
struct mpi_parts {
    double all_s, startup_s, file_s, poll_s; /* summed over ranks */
};

static struct mpi_parts add_up(const double *sums)
{
    struct mpi_parts parts = {0};
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++) {
        double seconds = sums[SUM_FUNCTIONS + 3 * (size_t)i];
        parts.all_s += seconds;
        if (mpi_function_marks[i] & MPI_STARTS_UP)
            parts.startup_s += seconds;
        else if (mpi_function_marks[i] & MPI_MOVES_FILE)
            parts.file_s += seconds;
        else if (mpi_function_marks[i] & MPI_POLLS)
            parts.poll_s += seconds;
    }
    return parts;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* As the parser's percent_text. */
static const char *percent_text(double percent, char text[16])
{
    if (percent > 0 && percent < 0.05)
        return "<0.1%";
    snprintf(text, 16, "%.*f%%", percent < 9.95 ? 1 : 0, percent);
    return text;
}

static void write_imbalance(struct text *text, double mean_s, const struct double_rank *slowest)
{
    if (mean_s > 0 && slowest->value > 1.05 * mean_s)
        text_format(text, "# %-10s: Rank %d computes %.2fx as long as the average.\n", "why",
                    slowest->rank, slowest->value / mean_s);
}

void summary_verdict(struct text *text, const struct identity *identity, const double *sums,
                     const struct double_rank *slowest)
{
    struct mpi_parts parts = add_up(sums);
    double wallclock_s = sums[SUM_WALLCLOCK];
    char share[16];
    if (!(wallclock_s > 0))
        return;
    double rest_s = parts.all_s - parts.startup_s - parts.file_s - parts.poll_s;
    double mpi_percent = 100 * sums[SUM_MPI] / wallclock_s;
    double startup_percent = 100 * parts.startup_s / wallclock_s;
    double file_percent = 100 * parts.file_s / wallclock_s;
    double off_cpu_percent = 100 * sums[SUM_OFF_CPU] / wallclock_s;
    if (off_cpu_percent >= MPROF_OFF_CPU_PERCENT &&
        sums[SUM_OFF_CPU] >= larger(parts.startup_s, parts.file_s)) {
        text_format(text,
                    "# %-10s: For %s of the run ranks had no CPU or were blocked outside MPI.\n"
                    "# %-10s  Who and why is in the report.\n",
                    "VERDICT", percent_text(off_cpu_percent, share), "");
    } else if (mpi_percent < MPROF_COMPUTE_BOUND_MPI_PERCENT) {
        text_format(text, "# %-10s: COMPUTE BOUND. %s of the run is MPI.\n", "VERDICT",
                    percent_text(mpi_percent, share));
    } else if (startup_percent > MPROF_STARTUP_PERCENT &&
               parts.startup_s >= larger(rest_s, larger(parts.file_s, parts.poll_s))) {
        text_format(text,
                    "# %-10s: START-UP BOUND. %s of the run is MPI_Init and making\n"
                    "# %-10s  communicators.\n",
                    "VERDICT", percent_text(startup_percent, share), "");
    } else if (file_percent > MPROF_FILE_IO_PERCENT &&
               parts.file_s > larger(rest_s + parts.poll_s, parts.startup_s)) {
        text_format(text, "# %-10s: I/O BOUND. %s of the run is MPI-IO.\n", "VERDICT",
                    percent_text(file_percent, share));
    } else {
        text_format(text,
                    "# %-10s: %s of the run is MPI. Whether that is waiting or transfer, and\n"
                    "# %-10s  who causes it, is in the report.\n",
                    "VERDICT", percent_text(mpi_percent, share), "");
        if (identity->profiled == identity->ranks) /* else it may be one that is not profiled */
            write_imbalance(text, sums[SUM_COMPUTE] / identity->ranks, slowest);
    }
    text_append(text, "#\n");
}
