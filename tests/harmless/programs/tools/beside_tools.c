/* Calls that another tool (tool.c) wraps, and some that it does not. */
#include "harmless.h"

#ifdef WITH_LIBRARY
void in_library(int other);
#else
static void in_library(int other)
{
    (void)other;
}
#endif

int main(int argc, char **argv)
{
    enum { ROUNDS = 5 };
    MPI_Init(&argc, &argv);
    int rank;
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    REQUIRE(size == 2);
    int (*volatile by_pointer)(MPI_Comm) = MPI_Barrier;
    for (int i = 0; i < ROUNDS; i++) {
        int value = i;
        int sum = 0;
        MPI_Request request;
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&sum, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
        MPI_Request sending;
        MPI_Isend(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &sending);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        by_pointer(MPI_COMM_WORLD);
        in_library(1 - rank);
    }
    MPI_Pcontrol(7, 3);
    int root = rank;
    MPI_Bcast(&root, 1, MPI_INT, 0, MPI_COMM_WORLD);
#ifdef WITH_LIBRARY
    enum { MORE = ROUNDS };
#else
    enum { MORE = 0 };
#endif
    made("MPI_Init", 1);
    made("MPI_Comm_rank", 1);
    made("MPI_Comm_size", 1);
    made("MPI_Send", ROUNDS * (rank == 0));
    made("MPI_Isend", ROUNDS + MORE);
    made("MPI_Irecv", ROUNDS);
    made("MPI_Recv", ROUNDS * (rank == 1) + MORE);
    made("MPI_Wait", 2 * ROUNDS + MORE);
    made("MPI_Allreduce", ROUNDS);
    made("MPI_Barrier", ROUNDS);
    made("MPI_Bcast", 1);
    made("MPI_Reduce", 0);
    made("MPI_Pcontrol", 1);
    made("MPI_Finalize", 1);
    MPI_Finalize();
    return 0;
}
