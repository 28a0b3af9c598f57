/* Sends what arithmetic can tell, for tests of the tables of the Python module: `traffic STEPS`.
 *
 * In each step rank r sends 1000 * (r + 1) doubles to the next rank and receives those of the one
 * before, and all ranks reduce 4 doubles. Rank 0 computes for 20 ms in each step, the others for
 * 5 ms. After the steps the last rank alone asks for the name of its processor, three times.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double compute(double seconds)
{
    double x = 1;
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0000001 + 1e-9;
    return x;
}

int main(int argc, char **argv)
{
    int rank, size, length;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int steps = argc > 1 ? atoi(argv[1]) : 5;
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    double *out = calloc(1000 * (size_t)(size + 1), sizeof *out);
    double *in = calloc(1000 * (size_t)(size + 1), sizeof *in);
    double mine[4] = {rank, 1, 2, 3}, sum[4], x = 0;
    for (int step = 0; step < steps; step++) {
        MPI_Request request;
        x += compute(rank == 0 ? 0.02 : 0.005);
        MPI_Isend(out, 1000 * (rank + 1), MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(in, 1000 * (before + 1), MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(mine, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == size - 1)
        for (int i = 0; i < 3; i++)
            MPI_Get_processor_name(name, &length);
    MPI_Finalize();
    free(out);
    free(in);
    return x < 0;
}
