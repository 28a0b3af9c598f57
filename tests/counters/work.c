/* Does known amounts of "work" outside and inside MPI, in regions and on threads, for
 * run_papi.py, which knows the amounts, too. fake_papi.c turns work into counts.
 *
 *   outside all regions     100 * (rank + 1), and in an MPI call 11
 *   region "solve"          1000, and in an MPI call 13
 *   region "inner" in it    50 before and 7 after an MPI call without work
 *   while paused            5000, which belongs nowhere
 *   two threads, in turn    200 and 300, after their only MPI call; with argument "threads" alone
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mprof/mprof.h"

static __thread uint64_t work_done;

uint64_t fake_work_of_thread(void);
uint64_t fake_work_of_thread(void)
{
    return work_done;
}

static void work(uint64_t units)
{
    work_done += units;
}

/* A reduction that works: it runs inside MPI. */
static uint64_t work_inside;
static void reduce(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)length;
    (void)type;
    work(work_inside);
}

static void work_in_mpi(MPI_Op operation, uint64_t units)
{
    int in = 1;
    int inout = 1;
    work_inside = units;
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, operation);
}

static void *thread(void *units)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    work(*(uint64_t *)units);
    return NULL;
}

static void run_thread(uint64_t units)
{
    pthread_t other;
    if (pthread_create(&other, NULL, thread, &units) == 0)
        pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    int provided;
    int rank;
    MPI_Op operation;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(reduce, 1, &operation);
    work(100 * ((uint64_t)rank + 1));
    work_in_mpi(operation, 11);
    mprof_region_begin("solve");
    work(1000);
    work_in_mpi(operation, 13);
    mprof_region_begin("inner");
    work(50);
    MPI_Barrier(MPI_COMM_WORLD);
    work(7);
    mprof_region_end("inner");
    mprof_region_end("solve");
    mprof_pause();
    work(5000);
    mprof_resume();
    if (argc > 1 && strcmp(argv[1], "threads") == 0 && provided == MPI_THREAD_MULTIPLE) {
        run_thread(200);
        run_thread(300);
    }
    MPI_Op_free(&operation);
    MPI_Finalize();
    printf("rank %d done\n", rank);
    return 0;
}
