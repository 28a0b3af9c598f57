/* A program that one setting of the MPI may make faster.
 *
 *     tuned MODE STEPS BYTES
 *
 * compute    each rank computes by itself
 * ring       each rank sends BYTES to the next one, and computes a little
 * late       pairs of ranks sleep at different times: a step takes 20 ms if the send leaves at
 * once, and 30 ms if it waits for its receiver
 *
 * With TUNED_FAIL=1 in the environment, and TUNED_HANG=1, it does so if yielding was asked for. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile double sink;

static void compute(long rounds)
{
    double value = 1;
    for (long i = 0; i < rounds; i++)
        value = value * 0.999999 + 1e-6;
    sink = value;
}

static void misbehave(void)
{
    const char *yields = getenv("OMPI_MCA_mpi_yield_when_idle");
    if (yields == NULL || strcmp(yields, "1") != 0)
        return;
    if (getenv("TUNED_FAIL") != NULL) {
        printf("no yielding, please\n");
        fflush(stdout);
        exit(3);
    }
    while (getenv("TUNED_HANG") != NULL)
        sleep(1);
}

int main(int argc, char **argv)
{
    int rank, size;
    const char *mode = argc > 1 ? argv[1] : "compute";
    int steps = argc > 2 ? atoi(argv[2]) : 1;
    int bytes = argc > 3 ? atoi(argv[3]) : 8;
    char *out = calloc((size_t)bytes, 1);
    char *in = calloc((size_t)bytes, 1);
    MPI_Init(&argc, &argv);
    misbehave();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double took = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        if (strcmp(mode, "ring") == 0) {
            compute(2000);
            MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, 0, in, bytes, MPI_BYTE,
                         (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (strcmp(mode, "late") == 0) {
            /* The receiver comes late in every other step, and has time in the others. Two steps
             * take 30 ms if the send waits for it, and 20 ms if not. */
            if (rank < size / 2) {
                usleep(10000);
                MPI_Send(out, bytes, MPI_BYTE, rank + size / 2, 0, MPI_COMM_WORLD);
            } else {
                if (step % 2 == 0)
                    usleep(20000);
                MPI_Recv(in, bytes, MPI_BYTE, rank - size / 2, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            }
        } else {
            compute(20000000);
        }
    }
    took = MPI_Wtime() - took;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("took %.6f\n", took);
    MPI_Finalize();
    free(in);
    free(out);
    return 0;
}
