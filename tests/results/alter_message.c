/* A tool that alters what arrives: on rank ALTER_RANK the message of the ALTER_CALL-th blocking
 * receive (from 1) loses a bit on its way. Preloaded behind libmprof.so, which passes calls on to
 * it. */
#include <mpi.h>
#include <stdlib.h>

static int number_in(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : -1;
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    static int calls;
    int rank;
    const int result = PMPI_Recv(buf, count, datatype, source, tag, comm, status);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == number_in("ALTER_RANK") && ++calls == number_in("ALTER_CALL"))
        ((unsigned char *)buf)[9 * sizeof(double)] ^= 1;
    return result;
}
