/* A job in which one rank is late every time, for run_some_ranks.py.
 *
 * some_ranks LATE: 20 MPI_Allreduce; rank LATE computes 20 ms before each. Rank 0 prints the sum.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20, LATE_NS = 20000000 };

static long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void compute(void)
{
    for (const long end_ns = now_ns() + LATE_NS; now_ns() < end_ns;) {
    }
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0, all = 0;
    const int late = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == late)
            compute();
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        all += sum;
    }
    if (rank == 0)
        printf("sum %d\n", all);
    MPI_Finalize();
    return 0;
}
