/* MPI calls from a library that the program opens while it runs. The library calls through its own
 * references, and through functions that it looks up. The program is late_binding.c. */
#include <dlfcn.h>

#include "harmless.h"

typedef int send_type(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static int (*in_table[])(MPI_Comm) = {MPI_Barrier};

void call_mpi(int other);
void call_mpi(int other)
{
    int out = other;
    int in = 0;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    in_table[0](MPI_COMM_WORLD);
}

void call_found(void *handle, int other);
void call_found(void *handle, int other)
{
    int out = other;
    int in = 0;
    MPI_Request request;
    send_type *send = (send_type *)dlsym(handle, "MPI_Send");
    REQUIRE(send != NULL);
    MPI_Irecv(&in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
    send(&out, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
