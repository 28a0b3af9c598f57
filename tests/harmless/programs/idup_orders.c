/* Two communicators of MPI_Comm_idup, used first in another order on each rank. */
#include "harmless.h"

int main(int argc, char **argv)
{
    MPI_Comm comms[2];
    MPI_Request requests[2];
    int rank, any;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_rank(comms[rank % 2], &any);
    MPI_Comm_rank(comms[(rank + 1) % 2], &any);
    for (int i = 0; i < 10; i++)
        MPI_Barrier(comms[0]);
    MPI_Barrier(comms[1]);
    made("MPI_Comm_idup", 2);
    made("MPI_Comm_rank", 3);
    made("MPI_Barrier", 11);
    MPI_Finalize();
    return 0;
}
