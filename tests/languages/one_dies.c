/* The last rank dies, the others end in order. For run_parts.py. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 50; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1)
        raise(SIGKILL);
    sleep(1);
    MPI_Finalize();
    printf("rank_%d\n", rank);
    return 0;
}
