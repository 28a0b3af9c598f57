/* Sends around a ring with three tags: run_events.py counts what a trace has of it. A step has two
 * messages that are received in the other order than they were sent, and one of any tag's size.
 * The first 40 steps are in the region "steps".
 * usage: events STEPS [pause|kill] */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IN_REGION = 40 };

static void step(int next, int before)
{
    double out[64] = {0}, in[3][64], sum;
    MPI_Request requests[3];
    MPI_Irecv(in[0], 8, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 64, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, 8, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv(in[1], 64, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, 4, MPI_DOUBLE, next, 3, in[2], 4, MPI_DOUBLE, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    const int steps = atoi(argv[1]);
    const char *how = argc > 2 ? argv[2] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Pcontrol(1, "steps");
    for (int i = 0; i < IN_REGION && i < steps; i++)
        step(next, before);
    MPI_Pcontrol(-1, "steps");
    if (strcmp(how, "pause") == 0)
        sleep(6);
    for (int i = IN_REGION; i < steps; i++)
        step(next, before);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "kill") == 0) {
        sleep(1); /* all ranks have left it */
        kill(getpid(), SIGKILL);
    }
    MPI_Finalize();
    return 0;
}
