/* A library that a script calls by ctypes. */
#include <mpi.h>

int in_library(int times);

int in_library(int times)
{
    int result = 0;
    for (int i = 0; i < times; i++)
        result |= MPI_Barrier(MPI_COMM_WORLD); /* in the library */
    return result;
}
