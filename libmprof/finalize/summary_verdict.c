/* What the run did, as far as sums over ranks tell (summary_text.h).
 *
 * What bounds it is what the run would take less without one cause (parser/accounts). Sums do not
 * tell that, so no class is named here that the report could contradict. */
#include <stdio.h>

#include "finalize/summary_text.h"

#define OFF_CPU_PERCENT 10.0 /* of the wallclock: less is not told */

/* Making communicators is start-up, too, but part of it may be the wait for a late rank. */
struct mpi_parts {
    double startup_s, file_s; /* summed over ranks */
};

static struct mpi_parts add_up(const double *sums)
{
    struct mpi_parts parts = {0};
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++) {
        double seconds = sums[SUM_FUNCTIONS + 3 * (size_t)i];
        if (mpi_function_marks[i] & MPI_STARTS_UP)
            parts.startup_s += seconds;
        else if (mpi_function_marks[i] & MPI_MOVES_FILE)
            parts.file_s += seconds;
    }
    return parts;
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
    double off_cpu_percent = 100 * sums[SUM_OFF_CPU] / wallclock_s;
    text_format(text, "# %-10s: %s of the run is MPI", "VERDICT",
                percent_text(100 * sums[SUM_MPI] / wallclock_s, share));
    text_format(text, ", %s MPI_Init", percent_text(100 * parts.startup_s / wallclock_s, share));
    text_format(text, ", %s MPI-IO.\n", percent_text(100 * parts.file_s / wallclock_s, share));
    if (off_cpu_percent >= OFF_CPU_PERCENT)
        text_format(text, "# %-10s  For %s of it ranks had no CPU or were blocked outside MPI.\n",
                    "", percent_text(off_cpu_percent, share));
    text_format(text, "# %-10s  What bounds it is in the report.\n", "");
    if (identity->profiled == identity->ranks) /* else it may be one that is not profiled */
        write_imbalance(text, sums[SUM_COMPUTE] / identity->ranks, slowest);
    text_append(text, "#\n");
}
