/* What an MPI tells of a message only once, or never: the status of a persistent receive that
 * MPI_Request_get_status looked at before, and that of MPI_Isendrecv. */
#include "harmless.h"

enum { TIMES = 10, SENT = 30, ROOM = 120, TAG = 5 };

static char out[SENT], in[ROOM];

static void look_before_wait(int other)
{
    MPI_Request request;
    MPI_Recv_init(in, ROOM, MPI_CHAR, other, TAG, MPI_COMM_WORLD, &request);
    for (int i = 0; i < TIMES; i++) {
        int is_there = 0;
        MPI_Start(&request);
        MPI_Send(out, SENT, MPI_CHAR, other, TAG, MPI_COMM_WORLD);
        while (i % 2 == 0 && !is_there)
            MPI_Request_get_status(request, &is_there, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

#if MPI_VERSION >= 4
static void exchange(int other)
{
    MPI_Request request;
    MPI_Status status;
    for (int i = 0; i < TIMES; i++) {
        MPI_Isendrecv(out, SENT, MPI_CHAR, other, TAG, in, ROOM, MPI_CHAR, other, TAG,
                      MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
    }
    made("MPI_Isendrecv", TIMES);
}
#endif

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    look_before_wait(1 - rank);
    made("MPI_Start", TIMES);
#if MPI_VERSION >= 4
    exchange(1 - rank);
#endif
    MPI_Finalize();
    return 0;
}
