/* Collectives and messages at times that the program notes by the kernel's true clock, for
 * run_clocks.py: clocks FOLDER. Each rank leaves FOLDER/ends-RANK: when each of its reductions had
 * ended. It is killed in the end, so that its last calls are kept.
 *
 * Every step: rank 0 sends to rank 1 and the other way round, and then all reduce. Steps take 10
 * ms; there are more than a second of them. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    STEPS = 300,
    COUNT = 1 << 19
}; /* a message takes longer than clocks of a busy machine differ */

static double ends[STEPS], block[COUNT];

static double true_s(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int rank, size;
    double x = 1, sum;
    char path[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        const struct timespec pause = {0, 10000000};
        nanosleep(&pause, NULL);
        for (int from = 0; from < 2; from++) {
            if (rank == from)
                MPI_Send(block, COUNT, MPI_DOUBLE, 1 - from, step, MPI_COMM_WORLD);
            else if (rank == 1 - from)
                MPI_Recv(block, COUNT, MPI_DOUBLE, from, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        ends[step] = true_s();
    }
    snprintf(path, sizeof path, "%s/ends-%d", argv[1], rank);
    FILE *file = fopen(path, "wb");
    if (argc != 2 || file == NULL || fwrite(ends, sizeof *ends, STEPS, file) != STEPS ||
        fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    sleep(1); /* all ranks have left it */
    kill(getpid(), SIGKILL);
    return 0;
}
