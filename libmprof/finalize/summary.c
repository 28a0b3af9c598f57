/* The summary at MPI_Finalize (finalize.h).
 *
 * Every rank adds its own record to what its children in the tree of ranks have added up, and
 * sends that to its parent: one message, of the functions that are used in its part of the tree.
 * If a child does not answer in time, because it was killed, the rank reports that instead. No
 * message is long: an MPI takes other ways for large ones, which the program may not have used,
 * and one that the kernel refuses may end the process (baseline.c). What does not fit is sent
 * before in further messages. The buffer is static, because a message that was given up may still
 * read it.
 *
 * First its layout, apart from how its numbers come together.
 */
#include "finalize/finalize.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/mpi_functions.h"
#include "base/clock.h"
#include "base/hot.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/warn.h"
#include "file/identity.h"
#include "mpi/rank_tree.h"
#include "mprof/format/format.h"
#include "mprof/format/summary_word.h"
#include "record/cpu/cpu_time.h"
#include "record/state/recorder.h"

/* Metrics with sum, minimum and maximum, then sums alone, then time, calls and bytes per function.
 * Seconds and bytes. */
enum {
    SUM_WALLCLOCK,
    SUM_OUTSIDE, /* of MPI: both that follow */
    SUM_COMPUTE,
    SUM_GPU, /* in the driver of a GPU */
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

/* The summary's layout: ASCII, 80 columns, every line begins with '#', with the
 * keys that users of IPM search for: command, host, start, stop, wallclock, mpi_tasks, %comm,
 * [total] <avg> min max, [time] [calls] <%mpi> <%wall>. */

/* ---- what bounds the run --------------------------------------------------------------------- */

/* As far as sums over ranks tell. What bounds it is what the run would take less without one cause
 * (parser/accounts). Sums do not tell that, so no class is named here that the report could
 * contradict. */

/* Making communicators is also start-up, but part of it may be the wait for a late rank. */
struct mpi_parts {
    double startup_s, file_s; /* summed over ranks */
};

static struct mpi_parts parts_of(const double *sums)
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

/* Where GPUs have most of the time between MPI calls, it is theirs that counts. */
static void write_imbalance(struct text *text, const struct identity *identity, const double *sums,
                            const struct double_rank *extremes)
{
    const bool is_of_gpus = sums[SUM_GPU] > sums[SUM_COMPUTE];
    const int metric = is_of_gpus ? SUM_GPU : SUM_COMPUTE;
    const double mean_s = sums[metric] / identity->ranks;
    const struct double_rank *slowest = &extremes[2 * (size_t)metric];
    if (mean_s > 0 && slowest->value > MPROF_SUMMARY_SLOW_FACTOR * mean_s)
        text_format(text, "# %-10s: Rank %d %s %.2fx as long as the average.\n", "why",
                    slowest->rank, is_of_gpus ? "is in its GPU's driver" : "computes",
                    slowest->value / mean_s);
}

static void write_verdict(struct text *text, const struct identity *identity, const double *sums,
                          const struct double_rank *extremes)
{
    struct mpi_parts parts = parts_of(sums);
    double wallclock_s = sums[SUM_WALLCLOCK];
    char share[MPROF_PERCENT_LETTERS];
    if (!(wallclock_s > 0))
        return;
    double off_cpu_percent = 100 * sums[SUM_OFF_CPU] / wallclock_s;
    text_format(text, "# %-10s: MPI takes %s of the run", "VERDICT",
                mprof_percent_text(100 * sums[SUM_MPI] / wallclock_s, share));
    text_format(text, " (%s MPI_Init",
                mprof_percent_text(100 * parts.startup_s / wallclock_s, share));
    text_format(text, ", %s MPI-IO).\n",
                mprof_percent_text(100 * parts.file_s / wallclock_s, share));
    if (off_cpu_percent >= MPROF_SUMMARY_OFF_CPU_PERCENT)
        text_format(text,
                    "# %-10s  Ranks had no CPU or were blocked outside MPI for %s of the run.\n",
                    "", mprof_percent_text(off_cpu_percent, share));
    if (sums[SUM_GPU] > 0)
        text_format(text, "# %-10s  Outside MPI, ranks were in a GPU's driver for %s of the run.\n",
                    "", mprof_percent_text(100 * sums[SUM_GPU] / wallclock_s, share));
    text_format(text, "# %-10s  The report says what bounds the run.\n", "");
    if (identity->profiled == identity->ranks) /* else it may be one that is not profiled */
        write_imbalance(text, identity, sums, extremes);
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
    char date[40] = "";
    time_t seconds = (time_t)(realtime_ns / 1000000000u);
    struct tm parts;
    if (localtime_r(&seconds, &parts) != NULL) /* else nothing is in it */
        strftime(date, sizeof date, "%a %b %d %H:%M:%S %Y %Z", &parts);
    text_format(text, "# %-10s: %-30s %s\n", key, date, right);
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
    write_verdict(text, identity, sums, extremes);
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
    text_format(text, "# %-10s: %-30s %%comm     : %.2f\n", "mpi_tasks", tasks, comm);
}

/* POP: load balance = mean compute / max compute. What a GPU does for a rank is its work, too. */
static void write_balance(struct text *text, const struct identity *identity, const double *sums,
                          const struct double_rank *extremes)
{
    double most = extremes[2 * (size_t)SUM_OUTSIDE].value;
    double balance = most > 0 ? 100 * sums[SUM_OUTSIDE] / identity->profiled / most : 100;
    char memory[32];
    snprintf(memory, sizeof memory, "%.2f", sums[SUM_MEMORY] / GIB);
    text_format(text, "# %-10s: %-30s %%balance  : %.1f (mean/max %s)\n#\n", "mem [GiB]", memory,
                balance, sums[SUM_GPU] > 0 ? "non-MPI" : "compute");
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
    if (sums[SUM_GPU] > 0)
        write_metric(text, "GPU driver", SUM_GPU, 1, identity, sums, extremes);
    write_metric(text, "MPI", SUM_MPI, 1, identity, sums, extremes);
    write_metric(text, "mem [GiB]", SUM_MEMORY, 1 / GIB, identity, sums, extremes);
    write_functions(text, sums);
    write_foot(text, identity, sums);
}

/* ---- adding up over the ranks ---------------------------------------------------------------- */

static struct function_sum sums[MPI_FUNCTION_COUNT];
static double values[SUMMARY_SUMS];
static struct double_rank extremes[SUMMARY_EXTREMES];

/* What a rank tells its parent. */
enum part_kind { PART_MISSING, PART_OF_MORE, PART_LAST };
enum { PART_FUNCTIONS = 48 };
struct part {
    int32_t kind;
    int32_t functions;
    double values[SUM_FUNCTIONS]; /* of the last one only, as the extremes */
    struct double_rank extremes[SUMMARY_EXTREMES];
    struct {
        int64_t function;
        double three[3];
    } of_function[PART_FUNCTIONS];
};
_Static_assert(sizeof(struct part) <= 2048, "small enough for every MPI's shortest way");

static void gather_own(const struct mprof_run *run, const struct mprof_clock *clock,
                       const struct identity *identity, bool has_file, uint64_t finalize_ticks)
{
    const struct busiest_thread busiest =
        recorders_sum(sums, MPI_FUNCTION_COUNT, clock->read_ticks);
    sums[FN_MPI_Finalize].calls++; /* the call that is going on */
    sums[FN_MPI_Finalize].ticks += finalize_ticks;
    double wallclock_s = (double)(clock->latest.monotonic_ns - clock->start.monotonic_ns) * 1e-9;
    values[SUM_WALLCLOCK] = wallclock_s;
    values[SUM_MPI] = clock_seconds(clock, busiest.mpi_ticks + finalize_ticks);
    values[SUM_OUTSIDE] = wallclock_s - values[SUM_MPI];
    values[SUM_GPU] = clock_seconds(clock, busiest.gpu_ticks);
    if (values[SUM_GPU] > values[SUM_OUTSIDE])
        values[SUM_GPU] = values[SUM_OUTSIDE] > 0 ? values[SUM_OUTSIDE] : 0;
    values[SUM_COMPUTE] = values[SUM_OUTSIDE] - values[SUM_GPU];
    values[SUM_USER] = (double)run->user_ns * 1e-9;
    values[SUM_SYSTEM] = (double)run->system_ns * 1e-9;
    values[SUM_MEMORY] = (double)run->peak_memory_bytes;
    values[SUM_OFF_CPU] = (double)recorders_off_cpu_ns() * 1e-9;
    values[SUM_FILES] = has_file;
    for (int metric = 0; metric < SUMMARY_METRICS; metric++) {
        extremes[2 * (size_t)metric] = (struct double_rank){values[metric], identity->rank};
        extremes[2 * (size_t)metric + 1] = (struct double_rank){-values[metric], identity->rank};
    }
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
        double *three = &values[SUM_FUNCTIONS + 3 * (size_t)function];
        const struct function_sum *sum = &sums[function];
        if (sum->calls == 0 && sum->bytes == 0 && sum->ticks == 0)
            continue; /* its page may be untouched */
        three[0] = clock_seconds(clock, sum->ticks);
        three[1] = (double)sum->calls;
        three[2] = (double)sum->bytes;
    }
}

static void add_part(const struct part *part)
{
    for (int i = 0; i < part->functions; i++) {
        double *three = &values[SUM_FUNCTIONS + 3 * (size_t)part->of_function[i].function];
        for (int k = 0; k < 3; k++)
            three[k] += part->of_function[i].three[k];
    }
    if (part->kind != PART_LAST)
        return;
    for (int i = 0; i < SUM_FUNCTIONS; i++)
        values[i] += part->values[i];
    for (int i = 0; i < SUMMARY_EXTREMES; i++) {
        const struct double_rank *theirs = &part->extremes[i];
        if (theirs->value > extremes[i].value ||
            (theirs->value == extremes[i].value && theirs->rank < extremes[i].rank))
            extremes[i] = *theirs;
    }
}

/* False = it says that a rank is missing, or does not come in time. */
static bool add_child(int child, uint64_t deadline_ns)
{
    static struct part part;
    do {
        for (uint64_t polls = 0; !tree_has_message(LINK_CHILD + child, TOPIC_SUMMARY); polls++) {
            /* After "go" the only word about arrival is that a rank leaves all the same. */
            if (clock_monotonic_ns() >= deadline_ns || tree_is_lost(LINK_CHILD + child) ||
                tree_has_message(LINK_CHILD + child, TOPIC_ARRIVAL))
                return false;
            tree_wait_a_little(polls);
        }
        if (!tree_receive(LINK_CHILD + child, TOPIC_SUMMARY, &part, sizeof part, deadline_ns))
            return false;
        add_part(&part);
    } while (part.kind == PART_OF_MORE);
    return part.kind == PART_LAST;
}

static bool send_part(struct part *part, enum part_kind kind, uint64_t deadline_ns)
{
    const size_t bytes =
        offsetof(struct part, of_function) + (size_t)part->functions * sizeof part->of_function[0];
    part->kind = (int32_t)kind;
    return tree_send(LINK_PARENT, TOPIC_SUMMARY, part, (int)bytes, deadline_ns);
}

static bool send_to_parent(bool complete, uint64_t deadline_ns)
{
    static struct part part;
    if (!complete)
        return send_part(&part, PART_MISSING, deadline_ns);
    memcpy(part.values, values, sizeof part.values);
    memcpy(part.extremes, extremes, sizeof part.extremes);
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
        const double *three = &values[SUM_FUNCTIONS + 3 * (size_t)function];
        if (three[1] == 0)
            continue;
        if (part.functions == PART_FUNCTIONS) {
            if (!send_part(&part, PART_OF_MORE, deadline_ns))
                return false;
            part.functions = 0;
        }
        part.of_function[part.functions].function = function;
        memcpy(part.of_function[part.functions++].three, three, 3 * sizeof *three);
    }
    return send_part(&part, PART_LAST, deadline_ns);
}

/* On rank 0 then `values` and `extremes` are those of all ranks. False = a rank is missing. */
static bool add_up(void)
{
    const uint64_t deadline_ns = tree_deadline_ns(options_short_patience_s());
    bool complete = true;
    for (int i = 0; complete && i < rank_tree.children; i++)
        complete = add_child(i, deadline_ns);
    if (rank_tree.parent >= 0)
        complete = send_to_parent(complete, deadline_ns) && complete;
    return complete;
}

/* As a shell would, but without waiting for a reader of a named pipe, and not through a link of
 * another user (root's are such as /dev/stderr): it may lead to a file of this one. */
static int open_named(const char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat facts;
    if (system_is_closed())
        return -1;
    int file = open(path, flags | O_NOFOLLOW, 0666);
    if (file >= 0 || errno != ELOOP || lstat(path, &facts) != 0)
        return file;
    if (facts.st_uid == geteuid() || facts.st_uid == 0)
        return open(path, flags, 0666);
    errno = ELOOP;
    return -1;
}

/* If standard error is now the program's own file, there is no summary. The profile holds the same
 * figures. */
static void put_out(const char *text, size_t bytes)
{
    if (strcmp(options.summary, "text") == 0) {
        (void)write_to_standard_error(text, bytes);
        return;
    }
    char path[4096];
    int file = options_path(options.summary, path, sizeof path) ? open_named(path) : -1;
    if (file < 0 || !write_harmlessly(file, text, bytes))
        warn("cannot write the summary to %s: %s", options.summary, strerror(errno));
    if (file >= 0)
        close(file);
}

/* A program may have set the locale of a country that writes 0,85 and other names of days. The
 * plain one allocates nothing. Returns that of this thread, 0 = it stays. */
static locale_t use_plain_locale(void)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
}

static void note_summary(void)
{
    char share[MPROF_PERCENT_LETTERS];
    char words[MPROF_PERCENT_LETTERS + 8];
    if (!(values[SUM_WALLCLOCK] > 0))
        return;
    snprintf(words, sizeof words, "MPI %s",
             mprof_percent_text(100 * values[SUM_MPI] / values[SUM_WALLCLOCK], share));
    identity_write_summary(words);
}

bool summary_print(const struct identity *identity, const struct mprof_run *run,
                   const struct mprof_clock *clock, bool has_file, bool all_are_here,
                   uint64_t finalize_ticks)
{
    gather_own(run, clock, identity, has_file, finalize_ticks);
    const bool complete = all_are_here && add_up();
    if (!tree_is_first())
        return complete;
    if (!complete && arrival_was_refused()) {
        warn("a rank is not profiled, so there is no summary; mprof report %s shows the others",
             identity->folder);
        return false;
    }
    if (!complete && tree_find_dead() >= 0) {
        warn("rank %d ended without MPI_Finalize, so there is no summary; mprof report %s shows "
             "what "
             "each rank did",
             tree_find_dead(), identity->folder);
        return false;
    }
    if (!complete) {
        warn("not all ranks reached MPI_Finalize and answered in time (MPROF_PATIENCE=%llu), so "
             "there is no summary; mprof report %s shows what each rank did",
             (unsigned long long)options.patience_s, identity->folder);
        return false;
    }
    static SELDOM char buffer[32 * 1024];
    struct text text = {buffer, sizeof buffer, 0};
    const locale_t of_program = use_plain_locale();
    summary_write(&text, identity, run, values, extremes);
    note_summary();
    if (of_program != (locale_t)0)
        uselocale(of_program);
    put_out(buffer, text.length);
    return true;
}
