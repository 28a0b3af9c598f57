/* Sends around a ring, and dies: a trace has the last 1024 calls of each rank, and the messages in
 * them. A step is five calls, and a barrier is the last one, so that all ranks make the same calls.
 * usage: killed STEPS */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, steps = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    double out[64] = {0}, in[64], sum;
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[2];
        MPI_Irecv(in, 64, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 64, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank % 2 == 0)
            MPI_Send(out, 8, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
        else
            MPI_Recv(in, 8, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sleep(1); /* all ranks have left it */
    kill(getpid(), SIGKILL);
    return 0;
}
