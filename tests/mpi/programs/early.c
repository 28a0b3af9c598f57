/* The last rank computes before MPI_Init, in read_mesh() for set_up(). For run_early_places.py.
 *
 * early TURNS: so many turns of a loop. The rank prints what CPU time they took. Which rank it is
 * says the launcher's environment.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double kept;

__attribute__((noinline)) static void read_mesh(long turns)
{
    double value = kept;
    for (long i = 0; i < turns; i++)
        value = value * 0.999 + 1.0;
    kept = value;
}

__attribute__((noinline)) static double set_up(long turns)
{
    struct timespec begin;
    struct timespec end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    read_mesh(turns);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static int is_last(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    if (rank == NULL) {
        rank = getenv("PMI_RANK");
        ranks = getenv("PMI_SIZE");
    }
    return rank != NULL && ranks != NULL && atoi(rank) + 1 == atoi(ranks);
}

int main(int argc, char **argv)
{
    const int last = is_last();
    const double cpu_s = last ? set_up(argc > 1 ? atol(argv[1]) : 0) : 0;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (last)
        printf("cpu_s %.6f\n", cpu_s);
    MPI_Finalize();
    return 0;
}
