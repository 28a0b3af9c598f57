/* Arithmetic that takes a known time of a CPU, however long the CPU is given to others meanwhile:
 * each rank reads its thread's CPU time around each piece, and writes the sum in seconds to
 * $TRUTH_DIR/computed-<rank> (run_crowded_work.py). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 60, TURNS = 5000000 };

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double compute(void)
{
    volatile double sum = 0;
    for (int i = 1; i <= TURNS; i++)
        sum = sum + 1.0 / i;
    return sum;
}

static void write_truth(int rank, double computed_s)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/computed-%d", getenv("TRUTH_DIR"), rank);
    FILE *file = fopen(path, "w");
    fprintf(file, "%.6f\n", computed_s);
    fclose(file);
}

int main(int count, char **arguments)
{
    int rank;
    double computed_s = 0;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        const double begin_s = cpu_s();
        compute();
        computed_s += cpu_s() - begin_s;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    write_truth(rank, computed_s);
    MPI_Finalize();
    return 0;
}
