/* A library between the program and its MPI, for beside_tools.c. */
#include "harmless.h"

void in_library(int other);
void in_library(int other)
{
    int out = other;
    int in = 0;
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
