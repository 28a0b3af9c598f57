/* A job with a known number of calls: known_calls CALLS [SECONDS] [DONE]
 *
 * Each rank calls MPI_Allreduce and MPI_Sendrecv CALLS times. Then it sleeps for SECONDS, and
 * rank 0 makes the file DONE before that. Used by run_slurm.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks, mine = 1, sum = 0, other;
    const long calls = argc > 1 ? atol(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (long i = 0; i < calls; i++) {
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % ranks, 0, &other, 1, MPI_INT,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 3 && rank == 0) {
        FILE *file = fopen(argv[3], "w");
        if (file != NULL)
            fclose(file);
    }
    if (argc > 2)
        sleep((unsigned)atoi(argv[2]));
    MPI_Finalize();
    return sum == ranks ? 0 : 1;
}
