/* A small MPI program for two ranks. Rank 1 sends three numbers to rank 0, which prints their sum.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i <= 3; i++) {
        double number = i;
        if (rank == 1)
            MPI_Send(&number, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Recv(&number, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += number;
        }
    }
    if (rank == 0)
        printf("the sum is %g\n", sum);
    return MPI_Finalize();
}
