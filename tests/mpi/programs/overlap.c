/* Requests whose times are known, for run_requests.py. Rank 0 keeps rank 1 waiting for 1 MB for 100
 * ms. Both compute 50 ms between MPI_Isend and MPI_Wait. Rank 0 starts persistent sends. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { LARGE = 1 << 20, ROUNDS = 4 };

static void sleep_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void late_message(int rank, char *large)
{
    char small[8] = "";
    MPI_Request requests[2];
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Irecv(small, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &requests[1]);
        sleep_ms(100);
        MPI_Send(large, LARGE, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(large, LARGE, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(small, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void overlapped(int rank)
{
    char out[8] = "";
    char in[8];
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(out, 8, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD, &request); /* overlapped */
    sleep_ms(50);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(in, 8, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A request that is never completed, and persistent ones. */
static void others(int rank)
{
    static char never[8];
    char bytes[16] = "";
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(bytes, 16, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(bytes, 16, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &request);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    if (rank == 0)
        MPI_Isend(never, 8, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
    else
        MPI_Recv(never, 8, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *large = calloc(1, LARGE);
    late_message(rank, large);
    overlapped(rank);
    others(rank);
    MPI_Finalize();
    free(large);
    return 0;
}
