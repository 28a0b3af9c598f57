/* The summary's layout (summary_text.h): ASCII, 80 columns, every line begins with '#', with the
 * keys that users of IPM search for: command, host, start, stop, wallclock, mpi_tasks, %comm,
 * [total] <avg> min max, [time] [calls] <%mpi> <%wall>. */
#include "finalize/summary_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mprof/format/percent_text.h"

/* ---- what bounds the run --------------------------------------------------------------------- */

/* As far as sums over ranks tell. What bounds it is what the run would take less without one cause
 * (parser/accounts). Sums do not tell that, so no class is named here that the report could
 * contradict. */

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

static void write_imbalance(struct text *text, double mean_s, const struct double_rank *slowest)
{
    if (mean_s > 0 && slowest->value > 1.05 * mean_s)
        text_format(text, "# %-10s: Rank %d computes %.2fx as long as the average.\n", "why",
                    slowest->rank, slowest->value / mean_s);
}

/* `slowest` computes most. */
static void write_verdict(struct text *text, const struct identity *identity, const double *sums,
                          const struct double_rank *slowest)
{
    struct mpi_parts parts = add_up(sums);
    double wallclock_s = sums[SUM_WALLCLOCK];
    char share[MPROF_PERCENT_LETTERS];
    if (!(wallclock_s > 0))
        return;
    double off_cpu_percent = 100 * sums[SUM_OFF_CPU] / wallclock_s;
    text_format(text, "# %-10s: %s of the run is MPI", "VERDICT",
                mprof_percent_text(100 * sums[SUM_MPI] / wallclock_s, share));
    text_format(text, ", %s MPI_Init",
                mprof_percent_text(100 * parts.startup_s / wallclock_s, share));
    text_format(text, ", %s MPI-IO.\n",
                mprof_percent_text(100 * parts.file_s / wallclock_s, share));
    if (off_cpu_percent >= OFF_CPU_PERCENT)
        text_format(text, "# %-10s  For %s of it ranks had no CPU or were blocked outside MPI.\n",
                    "", mprof_percent_text(off_cpu_percent, share));
    text_format(text, "# %-10s  What bounds it is in the report.\n", "");
    if (identity->profiled == identity->ranks) /* else it may be one that is not profiled */
        write_imbalance(text, sums[SUM_COMPUTE] / identity->ranks, slowest);
    text_append(text, "#\n");
}

enum { MOST_FUNCTIONS = 20, WIDTH = 80 };

#define GIB ((double)(1 << 30))

static void write_rule(struct text *text, const char *begin)
{
    char rule[WIDTH + 2];
    memset(rule, '#', WIDTH);
    memcpy(rule, begin, strlen(begin));
    rule[WIDTH] = '\n';
    rule[WIDTH + 1] = '\0';
    text_append(text, rule);
}

/* Names and paths come from outside: only printable ASCII goes to a terminal. */
static const char *printable(const char *name, char *copy, size_t capacity)
{
    size_t i = 0;
    for (; name[i] != '\0' && i < capacity - 1; i++)
        copy[i] = isascii(name[i]) && isprint((unsigned char)name[i]) ? name[i] : '?';
    copy[i] = '\0';
    return copy;
}

static void write_time(struct text *text, const char *key, uint64_t realtime_ns, const char *right)
{
    char date[40];
    time_t seconds = (time_t)(realtime_ns / 1000000000u);
    struct tm parts;
    localtime_r(&seconds, &parts);
    strftime(date, sizeof date, "%a %b %d %H:%M:%S %Y", &parts);
    text_format(text, "# %-10s: %-26s %s\n", key, date, right);
}

static void write_head(struct text *text, const struct identity *identity,
                       const struct mprof_run *run, const double *sums,
                       const struct double_rank *extremes)
{
    char right[640];
    char host[128] = "";
    char copy[512];
    gethostname(host, sizeof host - 1);
    write_rule(text, "##mprof " MPROF_VERSION " ");
    text_append(text, "#\n");
    write_verdict(text, identity, sums, &extremes[2 * (size_t)SUM_COMPUTE]);
    text_format(text, "# %-10s: %s\n", "command", printable(identity->command, copy, sizeof copy));
    snprintf(right, sizeof right, "host      : %s", printable(host, copy, sizeof copy));
    write_time(text, "start", run->start_realtime_ns, right);
    snprintf(right, sizeof right, "wallclock : %.2f", sums[SUM_WALLCLOCK] / identity->profiled);
    write_time(text, "stop", run->stop_realtime_ns, right);
    double comm = sums[SUM_WALLCLOCK] > 0 ? 100 * sums[SUM_MPI] / sums[SUM_WALLCLOCK] : 0;
    char tasks[48];
    if (identity->profiled < identity->ranks)
        snprintf(tasks, sizeof tasks, "%d of %d", identity->profiled, identity->ranks);
    else
        snprintf(tasks, sizeof tasks, "%d", identity->ranks);
    text_format(text, "# %-10s: %-26s %%comm     : %.2f\n", "mpi_tasks", tasks, comm);
}

/* POP: load balance = mean compute / max compute. */
static void write_balance(struct text *text, const struct identity *identity, const double *sums,
                          const struct double_rank *extremes)
{
    double most = extremes[2 * (size_t)SUM_COMPUTE].value;
    double balance = most > 0 ? 100 * sums[SUM_COMPUTE] / identity->profiled / most : 100;
    char memory[32];
    snprintf(memory, sizeof memory, "%.2f", sums[SUM_MEMORY] / GIB);
    text_format(text, "# %-10s: %-26s %%balance  : %.1f (mean/max compute)\n#\n", "mem [GiB]",
                memory, balance);
}

static void write_metric(struct text *text, const char *name, int metric, double scale,
                         const struct identity *identity, const double *sums,
                         const struct double_rank *extremes)
{
    const struct double_rank *most = &extremes[2 * (size_t)metric];
    const struct double_rank *least = &extremes[2 * (size_t)metric + 1];
    text_format(text, "# %-10s: %13.2f %12.2f %12.2f %12.2f %6d %6d\n", name, sums[metric] * scale,
                sums[metric] / identity->profiled * scale, -least->value * scale,
                most->value * scale, least->rank, most->rank);
}

/* The function with the most time that is not among `written`; -1 = none left. */
static int next_function(const double *sums, const bool *written)
{
    int best = -1;
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++) {
        const double *three = &sums[SUM_FUNCTIONS + 3 * (size_t)i];
        if (written[i] || !(three[1] > 0))
            continue;
        if (best < 0 || three[0] > sums[SUM_FUNCTIONS + 3 * (size_t)best])
            best = i;
    }
    return best;
}

static void write_functions(struct text *text, const double *sums)
{
    static bool written[MPI_FUNCTION_COUNT];
    double mpi_s = 0;
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++)
        mpi_s += sums[SUM_FUNCTIONS + 3 * (size_t)i];
    text_format(text, "#\n# %-21s %12s %13s %12s %12s\n", "", "[time]", "[calls]", "<%mpi>",
                "<%wall>");
    int rows = 0;
    for (int i; (i = next_function(sums, written)) >= 0; rows++) {
        written[i] = true;
        if (rows >= MOST_FUNCTIONS)
            continue;
        const double *three = &sums[SUM_FUNCTIONS + 3 * (size_t)i];
        text_format(text, "# %-21s %12.2f %13.0f %12.1f %12.1f\n", mpi_function_name(i), three[0],
                    three[1], mpi_s > 0 ? 100 * three[0] / mpi_s : 0,
                    sums[SUM_WALLCLOCK] > 0 ? 100 * three[0] / sums[SUM_WALLCLOCK] : 0);
    }
    if (rows > MOST_FUNCTIONS)
        text_format(text, "# ... %d more functions\n", rows - MOST_FUNCTIONS);
}

static void write_foot(struct text *text, const struct identity *identity, const double *sums)
{
    char copy[2048];
    text_append(text, "#\n");
    const int others = identity->ranks - identity->profiled;
    if (others > 0)
        text_format(text, "# %-10s: %d of %d ranks are not profiled\n", "quality", others,
                    identity->ranks);
    if (sums[SUM_FILES] < identity->profiled)
        text_format(text, "# %-10s: %.0f of %d ranks could write their file\n", "quality",
                    sums[SUM_FILES], identity->profiled);
    if (identity->folder[0] != '\0')
        text_format(text, "# %-10s: mprof report %s\n", "details",
                    printable(identity->folder, copy, sizeof copy));
    text_append(text, "#\n");
    write_rule(text, "");
}

void summary_write(struct text *text, const struct identity *identity, const struct mprof_run *run,
                   const double sums[SUMMARY_SUMS],
                   const struct double_rank extremes[SUMMARY_EXTREMES])
{
    write_head(text, identity, run, sums, extremes);
    write_balance(text, identity, sums, extremes);
    text_format(text, "# %-10s: %13s %12s %12s %12s %6s %6s\n", "", "[total]", "<avg>", "min",
                "max", "min@", "max@");
    write_metric(text, "wallclock", SUM_WALLCLOCK, 1, identity, sums, extremes);
    write_metric(text, "compute", SUM_COMPUTE, 1, identity, sums, extremes);
    write_metric(text, "MPI", SUM_MPI, 1, identity, sums, extremes);
    write_metric(text, "mem [GiB]", SUM_MEMORY, 1 / GIB, identity, sums, extremes);
    write_functions(text, sums);
    write_foot(text, identity, sums);
}
