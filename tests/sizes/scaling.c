/* A program with known scaling, for run_scale.py: scaling SERIAL_MS WORK_MS GROWING_MS
 *
 * Each of STEPS steps has a part that rank 0 does alone (SERIAL_MS), a part that all ranks share
 * (WORK_MS, each a p-th of it), and an MPI call in which everybody stays GROWING_MS times p: all
 * but the last rank come late to it by that. Work is sleep, so that more ranks than CPUs do not
 * matter. Prints the seconds that the steps took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 10 };

static void work_ms(double ms)
{
    struct timespec left = {0, 0};
    left.tv_sec = (time_t)(ms / 1000);
    left.tv_nsec = (long)((ms - 1000 * (double)left.tv_sec) * 1e6);
    while (nanosleep(&left, &left) != 0)
        ;
}

int main(int argc, char **argv)
{
    int rank, size;
    double sum, one = 1;
    MPI_Init(&argc, &argv);
    if (argc < 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const double serial_ms = atof(argv[1]), shared_ms = atof(argv[2]), growing_ms = atof(argv[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0)
            work_ms(serial_ms);
        MPI_Bcast(&one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* calls: serial */
        work_ms(shared_ms / size);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* calls: shared */
        if (growing_ms > 0) {
            if (rank == size - 1)
                work_ms(growing_ms * size);
            MPI_Barrier(MPI_COMM_WORLD); /* calls: growing */
        }
    }
    if (rank == 0)
        printf("took %.6f\n", MPI_Wtime() - begin_s);
    MPI_Finalize();
    return 0;
}
