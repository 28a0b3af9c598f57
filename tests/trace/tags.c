/* Sends around a ring so that only tags tell which receive got which message: run_tags.py counts
 * the arrows. What a call receives was not sent by the call that comes to mind first:
 * MPI_Sendrecv receives what MPI_Isend sent, and what it sends itself is received elsewhere. A
 * receive of any tag gets the second of two messages, because the first one was asked for before.
 * Between the two groups of an intercommunicator ranks have other numbers than in the world.
 * usage: tags STEPS */
#include <mpi.h>
#include <stdlib.h>

static void cross(int next, int before)
{
    double out[16] = {0}, in[2][16];
    MPI_Request requests[2];
    MPI_Irecv(in[0], 2, MPI_DOUBLE, before, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Sendrecv(out, 2, MPI_DOUBLE, next, 3, in[1], 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void take_any(int next, int before)
{
    double out[16] = {0}, in[2][16];
    MPI_Request requests[2], posted;
    MPI_Irecv(in[0], 5, MPI_DOUBLE, before, 5, MPI_COMM_WORLD, &posted);
    MPI_Isend(out, 5, MPI_DOUBLE, next, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 6, MPI_DOUBLE, next, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(in[1], 6, MPI_DOUBLE, before, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&posted, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void match(int next, int before)
{
    double out[16] = {0}, in[2][16];
    MPI_Request requests[2], posted;
    MPI_Message message;
    MPI_Irecv(in[0], 7, MPI_DOUBLE, before, 7, MPI_COMM_WORLD, &posted);
    MPI_Isend(out, 7, MPI_DOUBLE, next, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 8, MPI_DOUBLE, next, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in[1], 8, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&posted, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void across(MPI_Comm others)
{
    double out[16] = {0}, in[16];
    MPI_Request request;
    int rank;
    MPI_Comm_rank(others, &rank);
    MPI_Irecv(in, 9, MPI_DOUBLE, rank, 9, others, &request);
    MPI_Send(out, 9, MPI_DOUBLE, rank, 9, others);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Of the even and the odd ranks. */
static MPI_Comm make_bridge(int rank)
{
    MPI_Comm half, bridge;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 10, &bridge);
    MPI_Comm_free(&half);
    return bridge;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    const int steps = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Comm bridge = make_bridge(rank);
    for (int i = 0; i < steps; i++) {
        cross(next, before);
        take_any(next, before);
        match(next, before);
        across(bridge);
    }
    MPI_Comm_free(&bridge);
    MPI_Finalize();
    return 0;
}
