/* The truth of a test program: how it should be counted, written by hand beside each call.
 *
 * Every truth program calls truth_begin() first and returns truth_end() last. After each MPI call
 * it says by arithmetic what the call was worth: expect_size(), expect_send() and so on. At the end
 * each rank writes its tally to $TRUTH_DIR/truth-<rank>.json. run_truth.py compares the sum with
 * what was measured. The tally lists every MPI call that is made here. CHECK() tests what the
 * program itself sees. A failure makes its exit status 1. */
#ifndef TRUTH_H
#define TRUTH_H

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRUTH_FUNCTIONS = 400, TRUTH_ROWS = 10000 };

struct truth_function {
    const char *name;
    long long calls, bytes, received_bytes;
    long long optional_calls; /* may be counted or not (after MPI_Finalize) */
};
struct truth_size { /* `calls` transfers of exactly `size` bytes by `function` */
    const char *function;
    long long size, calls;
};
struct truth_message {
    int source, destination, one_sided; /* ranks in MPI_COMM_WORLD */
    long long messages, bytes;
};

struct truth_part {    /* of the calls, those of a row of another table of the report */
    const char *table; /* "regions" or "communicators" */
    const char *name;
    long long calls, bytes;
};

static struct truth_function truth_functions[TRUTH_FUNCTIONS];
static struct truth_part truth_parts[TRUTH_ROWS];
static struct truth_size truth_sizes[TRUTH_ROWS];
static struct truth_message truth_messages[TRUTH_ROWS];
static int truth_function_count, truth_size_count, truth_message_count, truth_part_count;
static int truth_failures, truth_rank, truth_ranks;
static long long truth_outside_messages, truth_outside_bytes;
static const char *truth_prefix = "truth"; /* of the tally's file; a spawned world has another */
static pthread_mutex_t truth_lock = PTHREAD_MUTEX_INITIALIZER;

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            truth_failures++;                                                                 \
            fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, truth_rank, \
                    #condition);                                                              \
        }                                                                                     \
    } while (0)

static inline void truth_need_room(int used, int room)
{
    if (used >= room) {
        fprintf(stderr, "truth.h: a table is too small\n");
        exit(2);
    }
}

static inline void truth_add(const char *name, long long calls, long long bytes, long long received,
                             long long optional)
{
    pthread_mutex_lock(&truth_lock);
    int i = 0;
    while (i < truth_function_count && strcmp(truth_functions[i].name, name) != 0)
        i++;
    if (i == truth_function_count) {
        truth_need_room(i, TRUTH_FUNCTIONS);
        truth_functions[truth_function_count++].name = name;
    }
    truth_functions[i].calls += calls;
    truth_functions[i].bytes += bytes;
    truth_functions[i].received_bytes += received;
    truth_functions[i].optional_calls += optional;
    pthread_mutex_unlock(&truth_lock);
}

static inline void truth_add_size(const char *function, long long size, long long calls)
{
    pthread_mutex_lock(&truth_lock);
    int i = 0;
    while (i < truth_size_count &&
           (truth_sizes[i].size != size || strcmp(truth_sizes[i].function, function) != 0))
        i++;
    if (i == truth_size_count) {
        truth_need_room(i, TRUTH_ROWS);
        truth_sizes[truth_size_count++] = (struct truth_size){function, size, 0};
    }
    truth_sizes[i].calls += calls;
    pthread_mutex_unlock(&truth_lock);
}

static inline void truth_add_message(int source, int destination, int one_sided, long long messages,
                                     long long bytes)
{
    pthread_mutex_lock(&truth_lock);
    int i = 0;
    while (i < truth_message_count &&
           (truth_messages[i].source != source || truth_messages[i].destination != destination ||
            truth_messages[i].one_sided != one_sided))
        i++;
    if (i == truth_message_count) {
        truth_need_room(i, TRUTH_ROWS);
        truth_messages[truth_message_count++] =
            (struct truth_message){source, destination, one_sided, 0, 0};
    }
    truth_messages[i].messages += messages;
    truth_messages[i].bytes += bytes;
    pthread_mutex_unlock(&truth_lock);
}

/* Which region (its path) or communicator calls belong to that are said elsewhere. */
static inline void expect_part(const char *table, const char *name, long long calls,
                               long long bytes)
{
    pthread_mutex_lock(&truth_lock);
    int i = 0;
    while (i < truth_part_count &&
           (strcmp(truth_parts[i].name, name) != 0 || strcmp(truth_parts[i].table, table) != 0))
        i++;
    if (i == truth_part_count) {
        truth_need_room(i, TRUTH_ROWS);
        truth_parts[truth_part_count++] = (struct truth_part){table, strdup(name), 0, 0};
    }
    truth_parts[i].calls += calls;
    truth_parts[i].bytes += bytes;
    pthread_mutex_unlock(&truth_lock);
}

/* Calls with a sum of bytes; says nothing of their sizes. */
static inline void expect(const char *function, long long calls, long long bytes)
{
    truth_add(function, calls, bytes, 0, 0);
}

/* Calls of `size` bytes each. */
static inline void expect_size(const char *function, long long size, long long calls)
{
    truth_add(function, calls, size * calls, 0, 0);
    truth_add_size(function, size, calls);
}

/* Transfers of `size` bytes of a request that was made, and counted as a call, earlier. */
static inline void expect_transfers(const char *function, long long size, long long transfers)
{
    truth_add(function, 0, size * transfers, 0, 0);
    truth_add_size(function, size, transfers);
}

/* What arrived by a call that also sends. */
static inline void expect_received(const char *function, long long bytes)
{
    truth_add(function, 0, 0, bytes, 0);
}

/* Messages from one rank of MPI_COMM_WORLD to another; the sender says it. */
static inline void expect_message(int source, int destination, long long messages, long long bytes)
{
    truth_add_message(source, destination, 0, messages, bytes);
}

/* One-sided messages, said by the rank that called MPI. */
static inline void expect_one_sided(int source, int destination, long long messages,
                                    long long bytes)
{
    truth_add_message(source, destination, 1, messages, bytes);
}

/* Messages that this rank sends to ranks of another MPI_COMM_WORLD. */
static inline void expect_outside(long long messages, long long bytes)
{
    truth_outside_messages += messages;
    truth_outside_bytes += bytes;
}

/* One call that sends `size` bytes from this rank. */
static inline void expect_send(const char *function, int destination, long long size)
{
    expect_size(function, size, 1);
    expect_message(truth_rank, destination, 1, size);
}

/* Calls that a tool may or may not have seen. */
static inline void expect_optional(const char *function, long long calls)
{
    truth_add(function, 0, 0, 0, calls);
}

/* After MPI_Init: who am I? */
static inline void truth_start(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &truth_rank);
    expect("MPI_Comm_rank", 1, 0);
    MPI_Comm_size(MPI_COMM_WORLD, &truth_ranks);
    expect("MPI_Comm_size", 1, 0);
}

static inline void truth_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    expect("MPI_Init", 1, 0);
    truth_start();
}

static inline void truth_write(FILE *file)
{
    const char *comma = "";
    fprintf(file, "{\"rank\": %d, \"ranks\": %d,\n \"functions\": [", truth_rank, truth_ranks);
    for (int i = 0; i < truth_function_count; i++, comma = ",") {
        const struct truth_function *f = &truth_functions[i];
        fprintf(
            file,
            "%s\n  {\"function\": \"%s\", \"calls\": %lld, \"bytes\": %lld, \"received_bytes\": "
            "%lld, \"optional_calls\": %lld}",
            comma, f->name, f->calls, f->bytes, f->received_bytes, f->optional_calls);
    }
    fprintf(file, "],\n \"parts\": [");
    comma = "";
    for (int i = 0; i < truth_part_count; i++, comma = ",")
        fprintf(file,
                "%s\n  {\"table\": \"%s\", \"name\": \"%s\", \"calls\": %lld, \"bytes\": %lld}",
                comma, truth_parts[i].table, truth_parts[i].name, truth_parts[i].calls,
                truth_parts[i].bytes);
    fprintf(file, "],\n \"messages\": [");
    comma = "";
    for (int i = 0; i < truth_size_count; i++, comma = ",")
        fprintf(file, "%s\n  {\"function\": \"%s\", \"bytes\": %lld, \"calls\": %lld}", comma,
                truth_sizes[i].function, truth_sizes[i].size, truth_sizes[i].calls);
    fprintf(file, "],\n \"matrix\": [");
    comma = "";
    for (int i = 0; i < truth_message_count; i++, comma = ",") {
        const struct truth_message *m = &truth_messages[i];
        const char *prefix = m->one_sided ? "one_sided_" : "";
        fprintf(file,
                "%s\n  {\"source\": %d, \"destination\": %d, \"%smessages\": %lld, \"%sbytes\": "
                "%lld}",
                comma, m->source, m->destination, prefix, m->messages, prefix, m->bytes);
    }
    fprintf(file, "],\n \"quality\": {\"outside_world\": {\"messages\": %lld, \"bytes\": %lld}}}\n",
            truth_outside_messages, truth_outside_bytes);
}

/* Writes the tally. Called by truth_end(), or last in a program that ends MPI in another way. */
static inline void truth_save(void)
{
    char path[4096];
    const char *folder = getenv("TRUTH_DIR");
    snprintf(path, sizeof path, "%s/%s-%d.json", folder != NULL ? folder : ".", truth_prefix,
             truth_rank);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file != NULL) {
        truth_write(file);
        CHECK(fclose(file) == 0);
    }
}

/* Writes the tally and ends MPI; the program returns what this returns. */
static inline int truth_end(void)
{
    expect("MPI_Finalize", 1, 0);
    truth_save();
    MPI_Finalize();
    return truth_failures == 0 ? 0 : 1;
}

#endif
