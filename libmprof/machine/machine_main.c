/* The program that `mprof machine` gives to the launcher: it measures what the MPI and the machine
 * can do, and tells it in lines (measure.h). It is linked with no MPI: it loads the one that
 * belongs to the launcher, and uses its ABI.
 *
 *   mprof-machine [--mpi FILE] [--launcher FILE] [--seconds N]
 *
 * Exit status 0, or 2 after a message. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own_file.h"
#include "base/topology.h"
#include "base/warn.h"
#include "machine/measure.h"

extern char **environ;

enum { UNUSABLE = 2 };

/* ---- lines for the mprof command ----
 * A line is written whole, so that nothing else comes between its parts. */

static char answer_letters[16384];
static struct text answer;

void answer_begin(const char *word)
{
    answer = (struct text){answer_letters, sizeof answer_letters, 0};
    text_append(&answer, "mprof-machine\t");
    text_append(&answer, word);
}

void answer_text(const char *text)
{
    char one[2] = "";
    text_append(&answer, "\t");
    for (; *text != '\0'; text++) {
        one[0] = *text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text;
        text_append(&answer, one);
    }
}

void answer_number(long long number)
{
    text_format(&answer, "\t%lld", number);
}

void answer_end(void)
{
    fwrite(answer.buffer, 1, answer.length, stdout);
    fputc('\n', stdout);
    fflush(stdout);
}

/* ---- how far it is ---- */

static void progress(const struct machine_run *run, const char *what)
{
    if (run->rank != 0)
        return;
    answer_begin("progress");
    answer_text(what);
    answer_end();
}

static void tell_text(const char *word, const char *text)
{
    answer_begin(word);
    answer_text(text);
    answer_end();
}

/* ---- what the MPI says of itself ---- */

static void tell_setting(const char *name, const char *value, const char *about)
{
    answer_begin("setting");
    answer_text(name);
    answer_text(value);
    answer_text(about);
    answer_end();
}

/* What the user set for the MPI or its transport. */
static void tell_environment(void)
{
    static const char *const begins[] = {"OMPI_MCA_",  "PRTE_MCA_", "PMIX_MCA_",
                                         "MPIR_CVAR_", "MPICH_",    "I_MPI_",
                                         "UCX_",       "FI_",       "PSM2_"};
    for (char **variable = environ; *variable != NULL; variable++)
        for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
            if (strncmp(*variable, begins[i], strlen(begins[i])) == 0) {
                const size_t length = strcspn(*variable, "=");
                char name[256];
                snprintf(name, sizeof name, "%.*s", (int)length, *variable);
                answer_begin("environment");
                answer_text(name);
                answer_text(*variable + length + 1);
                answer_end();
            }
}

/* Texts of the first node, as a profile has them. */
static void tell_node_texts(void)
{
    static char buffer[8192];
    struct text text = {buffer, sizeof buffer, 0};
    topology_write_texts(&text);
    for (size_t at = 0; at < text.length;) {
        const char *key = buffer + at;
        const char *value = key + strlen(key) + 1;
        at = (size_t)(value - buffer) + strlen(value) + 1;
        if (at <= text.length && strncmp(key, "node.", 5) == 0) {
            answer_begin("fact");
            answer_text(key);
            answer_text(value);
            answer_end();
        }
    }
}

static void tell_mpi(const struct machine_run *run, const struct machine_library *library)
{
    static char version[4096];
    run->mpi->version(version, sizeof version);
    tell_text("library", version);
    tell_text("path", library->path);
    tell_text("abi", library->abi);
    answer_begin("ranks");
    answer_number(run->size);
    answer_end();
    tell_node_texts();
    run->mpi->each_setting(tell_setting);
    tell_environment();
}

/* ---- distances ---- */

struct curve {
    char distance[16];
    int32_t ranks[2];
    int32_t count;
    struct point points[MOST_POINTS];
    struct eager_limit eager;
};

static void tell_curve(const struct curve *curve)
{
    answer_begin("distance");
    answer_text(curve->distance);
    answer_number(curve->ranks[0]);
    answer_number(curve->ranks[1]);
    answer_end();
    for (int i = 0; i < curve->count; i++) {
        const struct point *point = &curve->points[i];
        answer_begin("point");
        answer_number(point->bytes);
        answer_number(point->typical_ns);
        answer_number(point->best_ns);
        answer_number(point->stream_ns);
        answer_number(point->repeats);
        answer_end();
    }
    if (!curve->eager.is_known)
        return;
    answer_begin("eager");
    answer_number(curve->eager.bytes);
    answer_number(curve->eager.below_ns);
    answer_number(curve->eager.above_ns);
    answer_end();
}

/* All ranks come here; rank 0 tells. */
static void measure_pair(const struct machine_run *run, const struct cpu_pair *pair)
{
    static struct curve curve;
    const int a = pair->ranks[0];
    const int b = pair->ranks[1];
    progress(run, pair->distance);
    if (run->rank == a) {
        move_to_cpu(pair->cpus[0]);
        snprintf(curve.distance, sizeof curve.distance, "%s", pair->distance);
        curve.ranks[0] = a;
        curve.ranks[1] = b;
        curve.count = measure_curve(run, b, curve.points);
        curve.eager = measure_eager(run, b, curve.points, curve.count);
        end_answers(run, b);
    } else if (run->rank == b) {
        move_to_cpu(pair->cpus[1]);
        give_answers(run, a);
    }
    if (run->rank == a || run->rank == b)
        move_back();
    meet_quietly(run->mpi);
    if (run->rank == a && a != 0)
        run->mpi->send(&curve, sizeof curve, 0);
    if (run->rank == 0 && a != 0)
        run->mpi->receive(&curve, sizeof curve, a);
    if (run->rank == 0)
        tell_curve(&curve);
}

static void measure_all(const struct machine_run *run)
{
    struct node_table table = {0};
    struct cpu_pair pairs[MOST_PAIRS];
    int usual[2] = {0, 0};
    find_nodes(run, &table);
    progress(run, "nodes and links");
    const bool has_links = measure_nodes(run, &table, usual);
    progress(run, "memory");
    measure_memory(run, &table);
    const int count = find_cpu_pairs(run, &table, pairs);
    for (int i = 0; i < count; i++)
        measure_pair(run, &pairs[i]);
    if (has_links) {
        const struct cpu_pair far = {
            "other node", {table.nodes[usual[0]].leader, table.nodes[usual[1]].leader}, {-1, -1}};
        measure_pair(run, &far);
    }
    progress(run, "collectives");
    measure_collectives(run);
    free(table.nodes);
    free(table.node_of_rank);
}

/* ---- main ---- */

struct arguments {
    const char *mpi, *launcher;
    int seconds;
};

static bool read_arguments(int argc, char **argv, struct arguments *arguments)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--mpi") == 0)
            arguments->mpi = argv[i + 1];
        else if (strcmp(argv[i], "--launcher") == 0)
            arguments->launcher = argv[i + 1];
        else if (strcmp(argv[i], "--seconds") == 0)
            arguments->seconds = atoi(argv[i + 1]);
        else
            return false;
    return argc % 2 == 1;
}

/* A library that is not the launcher's makes each rank a world of its own. */
static bool is_launchers(const struct machine_run *run, const struct machine_library *library)
{
    const int started = ranks_by_launcher();
    if (run->size > 1 || started <= 1)
        return true;
    if (rank_by_launcher() <= 0)
        fprintf(stderr,
                "mprof machine: %s does not belong to this launcher: it sees 1 rank of %d. "
                "Name the right one with --mpi FILE\n",
                library->path, started);
    return false;
}

static char buffers[2 * LARGEST_BYTES];

int main(int argc, char **argv)
{
    struct arguments arguments = {NULL, NULL, 60};
    struct machine_library library = {0};
    struct machine_run run = {0};
    if (!read_arguments(argc, argv, &arguments)) {
        fputs("mprof machine: this program is started by mprof machine\n", stderr);
        return UNUSABLE;
    }
    if (!open_machine_library(arguments.mpi, arguments.launcher, &library))
        return UNUSABLE;
    memset(buffers, 1, sizeof buffers); /* no message waits for a page */
    run.out = buffers;
    run.in = buffers + LARGEST_BYTES;
    run.mpi = library.layer;
    if (!run.mpi->bind(library.handle) || !run.mpi->begin(&run.rank, &run.size)) {
        fprintf(stderr, "mprof machine: %s lacks functions that are needed\n", library.path);
        return UNUSABLE;
    }
    if (!is_launchers(&run, &library)) {
        run.mpi->end();
        return UNUSABLE;
    }
    run.deadline_ns = clock_monotonic_ns() + (uint64_t)arguments.seconds * 1000000000u;
    if (run.rank == 0)
        tell_mpi(&run, &library);
    meet_quietly(run.mpi);
    measure_all(&run);
    if (run.rank == 0) {
        answer_begin("end");
        answer_end();
    }
    run.mpi->end();
    return 0;
}
