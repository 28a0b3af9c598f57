// A program whose computing is planted by sleeping. Between two known lines each step takes 100 ms,
// or PERCENT of it, on all ranks or on one. run_diff.py runs it and finds the lines by the marks
// @left, @entered and @added. It inserts lines between @above and the code.
// usage: planted_step STEPS PERCENT [RANK]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MILLISECOND 1000000L

// @above

static void compute(long nanoseconds)
{
    struct timespec left = {nanoseconds / 1000000000L, nanoseconds % 1000000000L};
    while (nanosleep(&left, &left) != 0) {
    }
}

static double exchange(int rank, int ranks, double value)
{
    const int to = (rank + 1) % ranks;
    const int from = (rank + ranks - 1) % ranks;
    MPI_Status status;
    MPI_Sendrecv_replace(&value, 1, MPI_DOUBLE, to, 0, from, 0, MPI_COMM_WORLD, &status);  // @left
    return value;
}

static double step(int rank, int ranks, double value, long nanoseconds)
{
    double sum = 0;
    value += exchange(rank, ranks, value);
    compute(nanoseconds);
#ifdef ADDED
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);  // @added
#endif
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // @entered
    compute(10 * MILLISECOND);
    return sum;
}

int main(int argc, char **argv)
{
    int rank = 0;
    int ranks = 1;
    const int steps = argc > 1 ? atoi(argv[1]) : 10;
    const long percent = argc > 2 ? atol(argv[2]) : 100;
    const int slow_rank = argc > 3 ? atoi(argv[3]) : -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long share = slow_rank < 0 || slow_rank == rank ? percent : 100;
    double value = rank;
    for (int i = 0; i < steps; i++)
        value = step(rank, ranks, value, share * MILLISECOND) / (2 * ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", value);
    return MPI_Finalize();
}
