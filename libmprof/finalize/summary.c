/* The summary at MPI_Finalize (summary.h).
 *
 * Every rank adds its own record to what its children in the tree of ranks have added up, and sends
 * that to its parent: one message, of the functions that are used in its part of the tree. If a
 * child does not answer in time, because it was killed, the rank reports that instead. No message
 * is long: an MPI takes other ways for large ones, which the program may not have used, and one
 * that the kernel refuses may end the process (baseline.c). What does not fit is sent before in
 * further messages. The buffer is static, because a message that was given up may still read it.
 */
#include "finalize/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/mpi_functions.h"
#include "base/clock.h"
#include "base/hot.h"
#include "base/options.h"
#include "base/own_file.h"
#include "base/warn.h"
#include "finalize/arrival.h"
#include "finalize/summary_text.h"
#include "mpi/rank_tree.h"
#include "record/cpu/cpu_time.h"
#include "record/state/recorder.h"

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
        warn("not all ranks came to MPI_Finalize and answered in time (MPROF_PATIENCE=%llu), so "
             "there is no summary; mprof report %s shows what each rank did",
             (unsigned long long)options.patience_s, identity->folder);
        return false;
    }
    static SELDOM char buffer[32 * 1024];
    struct text text = {buffer, sizeof buffer, 0};
    summary_write(&text, identity, run, values, extremes);
    put_out(buffer, text.length);
    return true;
}
