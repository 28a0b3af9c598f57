/* Each rank exchanges messages with the one that is half of all ranks away.
 *
 *     far STEPS BYTES
 *
 * Rank 0 prints the seconds that the slowest rank took for it: "took 1.234". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int steps = argc > 1 ? atoi(argv[1]) : 1;
    int bytes = argc > 2 ? atoi(argv[2]) : 1;
    int partner = (rank + size / 2) % size;
    char *out = calloc((size_t)bytes, 1);
    char *in = calloc((size_t)bytes, 1);
    double longest, took;
    MPI_Barrier(MPI_COMM_WORLD);
    took = MPI_Wtime();
    for (int step = 0; step < steps; step++)
        MPI_Sendrecv(out, bytes, MPI_BYTE, partner, 0, in, bytes, MPI_BYTE, partner, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    took = MPI_Wtime() - took;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("took %.6f\n", longest);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
