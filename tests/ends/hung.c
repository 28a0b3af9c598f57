/* A program that hangs on purpose: one rank sleeps, the others are in a collective or wait for each
 * other. Used by run_hang.py.
 *
 * hung MODE FILE: when everything is set, every rank writes its process id into FILE (32 bits each,
 * by rank). MODE is allreduce (the last rank sleeps, the others are in MPI_Allreduce) or ring (each
 * receives from the next one). */
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks, mine = 1, sum;
    if (argc != 3)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    int file = open(argv[2], O_WRONLY);
    int process = (int)getpid();
    if (file < 0 || pwrite(file, &process, sizeof process, (off_t)sizeof process * rank) < 0)
        return 2;
    close(file);
    if (strcmp(argv[1], "ring") == 0)
        MPI_Recv(&sum, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == ranks - 1)
        sleep(3600);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* the collective that hangs */
    return MPI_Finalize();
}
