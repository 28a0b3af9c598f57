/* Round trips between ranks 0 and 1, and MPI_Allreduce of all: what mprof machine measures,
 * measured by somebody else, as a log in the form of IMB. A time is the mean of a loop; of several
 * loops the shortest counts, because what else runs on the machine only adds.
 *
 *   ping_pong LEAST_BYTES MOST_BYTES */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOPS = 12, REPEATS = 4 };

static int rank;

static void round_trips(char *buffer, int bytes, int repeats)
{
    for (int i = 0; i < repeats; i++) {
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static double one_way_us(char *buffer, int bytes)
{
    double best_s = 1e9;
    round_trips(buffer, bytes, 2);
    for (int loop = 0; loop < LOOPS; loop++) {
        const double begin_s = MPI_Wtime();
        round_trips(buffer, bytes, REPEATS);
        const double took_s = (MPI_Wtime() - begin_s) / (2 * REPEATS);
        best_s = took_s < best_s ? took_s : best_s;
    }
    return 1e6 * best_s;
}

static double allreduce_us(const double *give, double *take, int bytes)
{
    double best_s = 1e9;
    for (int loop = 0; loop < LOOPS; loop++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin_s = MPI_Wtime();
        for (int i = 0; i < REPEATS; i++)
            MPI_Allreduce(give, take, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double took_s = (MPI_Wtime() - begin_s) / REPEATS, sum_s;
        int size;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Allreduce(&took_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        best_s = sum_s / size < best_s ? sum_s / size : best_s;
    }
    return 1e6 * best_s;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int least = argc > 2 ? atoi(argv[1]) : 8, most = argc > 2 ? atoi(argv[2]) : 1 << 16;
    char *give = calloc(2, (size_t)most), *take = give + most;
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("# Benchmarking PingPong \n# #processes = 2 \n"
               "       #bytes #repetitions      t[usec]   Mbytes/sec\n");
    for (int bytes = least; bytes <= most && rank < 2; bytes *= 2) {
        const double us = one_way_us(give, bytes);
        if (rank == 0)
            printf("%13d %12d %12.2f %12.2f\n", bytes, REPEATS, us, bytes / us);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("\n# Benchmarking Allreduce \n# #processes = %d \n"
               "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n",
               size);
    for (int bytes = least; bytes <= most; bytes *= 2) {
        const double us = allreduce_us((double *)give, (double *)take, bytes);
        if (rank == 0)
            printf("%13d %12d %12.2f %12.2f %12.2f\n", bytes, REPEATS, us, us, us);
    }
    MPI_Finalize();
    return 0;
}
