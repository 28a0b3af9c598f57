/* What one MPI call costs, for tests/bench/run, with and without a tool in front of MPI.
 *
 *   bench_calls time              one rank: "case ns" for each case; two ranks: the cases for two
 *   bench_calls count CALLS CASE...  so many calls of each case inside counted(), for callgrind
 *                                 --toggle-collect and --dump-after
 *   bench_calls threads COUNT     "MPI_Comm_rank ns" of the slowest of COUNT threads at once
 *   bench_calls ends              how long MPI_Init and MPI_Finalize took, the slowest rank, in ns
 *   bench_calls nothing           calls nothing: what takes time is loading the libraries
 *
 * Times are the shortest mean over many short windows. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_lines.h"

enum { WINDOWS = 60, CALLS = 4000, MESSAGES = 100, MAX_THREADS = 64, SIZES = 64, TAGS = 16 };

static char buffer[2][SIZES];
static MPI_Request never; /* a receive that nothing matches */

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void comm_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void iprobe(void)
{
    int found;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void test(void)
{
    int done;
    MPI_Test(&never, &done, MPI_STATUS_IGNORE);
}

static void send_to_nobody(void)
{
    MPI_Send(buffer[0], 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void allreduce_on_self(void)
{
    double in = 1;
    double out;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

/* Three calls. */
static void exchange_with_self(void)
{
    MPI_Request requests[2];
    MPI_Irecv(buffer[1], 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(buffer[0], 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Three calls, of another size and tag each time. */
static void mixed_exchange_with_self(void)
{
    static unsigned state;
    unsigned number = next_random(&state);
    int size = 1 + (int)(number % SIZES);
    int tag = (int)(number / SIZES % TAGS);
    MPI_Request requests[2];
    MPI_Irecv(buffer[1], size, MPI_CHAR, 0, tag, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(buffer[0], size, MPI_CHAR, 0, tag, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void send_from_lines(void)
{
    static int line;
    send_from_line(FIRST_LINE + line, buffer[0], 8, MPI_PROC_NULL, 0);
    line = line + 1 < LINES ? line + 1 : 0;
}

/* Persistent requests: two calls. */
static void start_to_self(void)
{
    static MPI_Request kept[2];
    static int made;
    if (!made) {
        MPI_Recv_init(buffer[1], 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &kept[0]);
        MPI_Send_init(buffer[0], 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &kept[1]);
        made = 1;
    }
    MPI_Startall(2, kept);
    MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
}

/* As a W-cycle of multigrid goes down its levels: each of the 32 ways has the same return address
 * and the same frame at the end. */
__attribute__((noinline)) static void go_down(unsigned way, int levels)
{
    static volatile unsigned turns[2];
    if (levels == 0) {
        send_to_nobody();
        turns[0]++;
    } else if (way % 2 == 0) {
        go_down(way / 2, levels - 1);
        turns[0]++;
    } else {
        go_down(way / 2, levels - 1);
        turns[1]++;
    }
}

static void send_in_recursion(void)
{
    enum { LEVELS = 5 };
    static unsigned way;
    go_down(way, LEVELS);
    way = (way + 1) % (1u << LEVELS);
}

static void broadcast_of_sizes(void)
{
    static int size;
    MPI_Bcast(buffer[0], 1 + size, MPI_CHAR, 0, MPI_COMM_SELF);
    size = (size + 1) % SIZES;
}

static void ping_pong(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(buffer[0], 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer[1], 8, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(buffer[0], 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    double in = 1;
    double out;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct bench_case {
    const char *name;
    void (*call)(void);
    int ranks;
} cases[] = {
    {"MPI_Comm_rank", comm_rank, 1},
    {"MPI_Iprobe", iprobe, 1},
    {"MPI_Test", test, 1},
    {"MPI_Send to MPI_PROC_NULL", send_to_nobody, 1},
    {"MPI_Allreduce on MPI_COMM_SELF", allreduce_on_self, 1},
    {"MPI_Irecv + MPI_Isend + MPI_Waitall", exchange_with_self, 1},
    {"the same, sizes and tags in mixed order", mixed_exchange_with_self, 1},
    {"MPI_Send from 200 lines", send_from_lines, 1},
    {"MPI_Send in a recursion", send_in_recursion, 1},
    {"MPI_Startall + MPI_Waitall", start_to_self, 1},
    {"MPI_Bcast of 64 sizes on MPI_COMM_SELF", broadcast_of_sizes, 1},
    {"ping-pong of 8 bytes", ping_pong, 2},
    {"MPI_Allreduce of 8 bytes", allreduce, 2},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static double shortest_ns(void (*call)(void), int calls)
{
    double shortest = 1e12;
    for (int window = 0; window < WINDOWS; window++) {
        double begin = now_ns();
        for (int i = 0; i < calls; i++)
            call();
        double ns = (now_ns() - begin) / calls;
        if (ns < shortest)
            shortest = ns;
    }
    return shortest;
}

/* Not inlined, and with a name: callgrind counts what happens in it. */
__attribute__((noinline)) void counted(void (*call)(void), int calls);
void counted(void (*call)(void), int calls)
{
    for (int i = 0; i < calls; i++)
        call();
}

static void count_case(const char *name, int calls)
{
    for (int i = 0; i < CASES; i++)
        if (strcmp(name, cases[i].name) == 0)
            counted(cases[i].call, calls);
}

static void *measure_thread(void *shortest)
{
    *(double *)shortest = shortest_ns(comm_rank, CALLS);
    return NULL;
}

static void measure_threads(int count)
{
    pthread_t threads[MAX_THREADS];
    double shortest[MAX_THREADS];
    double slowest = 0;
    if (count < 1 || count > MAX_THREADS)
        return;
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, measure_thread, &shortest[i]);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        slowest = shortest[i] > slowest ? shortest[i] : slowest;
    }
    printf("MPI_Comm_rank\t%.2f\n", slowest);
}

static void measure_times(int rank, int ranks)
{
    for (int i = 0; i < CASES; i++) {
        if (cases[i].ranks != ranks)
            continue;
        double ns = shortest_ns(cases[i].call, ranks == 1 ? CALLS : MESSAGES);
        if (rank == 0)
            printf("%s\t%.2f\n", cases[i].name, ns);
    }
}

/* After MPI_Finalize nobody can be asked: each rank prints its own, the reader takes the longest.
 */
static int end_and_tell(double init_ns)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now_ns();
    int result = MPI_Finalize();
    printf("MPI_Init\t%.0f\nMPI_Finalize\t%.0f\n", init_ns, now_ns() - begin);
    return result;
}

int main(int argc, char **argv)
{
    int provided;
    int rank;
    int ranks;
    const char *what = argc > 1 ? argv[1] : "time";
    double begin = now_ns();
    if (strcmp(what, "nothing") == 0)
        return 0;
    if (strcmp(what, "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    double init_ns = now_ns() - begin;
    if (strcmp(what, "ends") == 0)
        return end_and_tell(init_ns);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Irecv(buffer[1], 1, MPI_CHAR, 0, 99, MPI_COMM_SELF, &never);
    if (strcmp(what, "threads") == 0)
        measure_threads(argc > 2 ? atoi(argv[2]) : 1);
    else if (strcmp(what, "time") == 0)
        measure_times(rank, ranks);
    for (int i = 3; strcmp(what, "count") == 0 && i < argc; i++)
        count_case(argv[i], atoi(argv[2]));
    MPI_Send(buffer[0], 1, MPI_CHAR, 0, 99, MPI_COMM_SELF);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
