/* A program whose output and end are known. Used by run_output.py.
 *
 * output END [FOLDER]: first changes to FOLDER, and takes the locale that the user has. Rank 0
 * writes to standard output through stdio and directly. It writes a line to standard error. Then
 * the job ends with exit status 0 or 3 (END = 0, 3) or by MPI_Abort with code 4 (END = abort). */
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char bytes[] = "direct \001\377\0 bytes\n"; /* not all of it is text */
    double sum = 0, mine;
    int rank;
    if (argc == 3 && chdir(argv[2]) != 0)
        return 2;
    setlocale(LC_ALL, "");
    MPI_Init(&argc, &argv);
    if (argc < 2)
        return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank + 0.25;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < 100; i++)
            printf("line %d: %.17g\n", i, sum / (i + 1));
        fflush(stdout);
        if (write(STDOUT_FILENO, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
            return 1;
        fprintf(stderr, "a line on standard error\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "abort") == 0) {
        usleep(500000); /* MPICH's mpirun loses what it has not yet passed on when a job aborts */
        if (rank == 0)
            MPI_Abort(MPI_COMM_WORLD, 4);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return atoi(argv[1]);
}
