/* A program bound by small messages, for tests/bench/bench_programs.py.
 *
 *   bench_steps allreduce STEPS   MPI_Allreduce of 8 bytes, STEPS in a row
 *   bench_steps halo STEPS        with both neighbours of a ring 2 MPI_Irecv, 2 MPI_Isend of 64
 *                                 bytes and MPI_Waitall, and a little work; each tenth step an
 *                                 MPI_Allreduce
 *
 * Prints "loop TAB seconds" of rank 0; every rank has begun then, and ends with it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 512, EDGE = 8, WARM_STEPS = 1000 };

static double cells[CELLS];

static void allreduce(void)
{
    double sum;
    MPI_Allreduce(&cells[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void exchange(int rank, int ranks)
{
    static double from[2][EDGE];
    const int left = (rank + ranks - 1) % ranks;
    const int right = (rank + 1) % ranks;
    MPI_Request requests[4];
    MPI_Irecv(from[0], EDGE, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(from[1], EDGE, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&cells[0], EDGE, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&cells[CELLS - EDGE], EDGE, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < EDGE; i++) {
        cells[i] += from[0][i];
        cells[CELLS - EDGE + i] += from[1][i];
    }
}

static void work(void)
{
    for (int i = 1; i < CELLS - 1; i++)
        cells[i] = 0.25 * cells[i - 1] + 0.5 * cells[i] + 0.25 * cells[i + 1];
}

static void run(int is_halo, long steps, int rank, int ranks)
{
    for (long i = 0; i < steps; i++) {
        if (!is_halo || i % 10 == 0)
            allreduce();
        if (is_halo) {
            exchange(rank, ranks);
            work();
        }
    }
}

int main(int argc, char **argv)
{
    int rank;
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int is_halo = strcmp(argv[1], "halo") == 0;
    run(is_halo, WARM_STEPS, rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    run(is_halo, strtol(argv[2], NULL, 10), rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("loop\t%.6f\n", MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
