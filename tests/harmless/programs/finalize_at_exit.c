/* MPI_Finalize in a function that exit() calls, as libraries with a destructor of their own do. */
#include "harmless.h"

static void finalize(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    made("MPI_Barrier", 1);
    made("MPI_Allreduce", 10);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    atexit(finalize);
    int sum = 0;
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d\n", sum);
    return 0;
}
