/* A library that calls MPI when it is loaded, from a constructor. The program is opens.c. */
#include "harmless.h"

static __attribute__((constructor)) void call_mpi(void)
{
    enum { CALLS = 5 };
    MPI_Init(NULL, NULL);
    for (int i = 0; i < CALLS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    made("MPI_Barrier", CALLS);
    MPI_Finalize();
}
