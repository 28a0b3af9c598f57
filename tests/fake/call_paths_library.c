/* Calls MPI for call_paths.c, from a shared library. With lazy binding the first call goes through
 * the loader, which leaves a copy of the return address below the caller's frame. */
#include "call_paths.h"

void send_from_library(double *data)
{
    MPI_Send(data, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    *data += 1;
}
