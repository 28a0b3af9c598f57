/* A program that uses real_runtime.cu, with MPI (-DWITH_MPI) and without. Status 3 if something
 * failed. */
#include <stdio.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

int use_gpu(int rank);

int main(int count, char **words)
{
    int rank = 0;
#ifdef WITH_MPI
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#else
    (void)count;
    (void)words;
#endif
    int failed = use_gpu(rank);
#ifdef WITH_MPI
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#endif
    printf("rank %d: %d failed\n", rank, failed);
    fflush(stdout);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return failed != 0 ? 3 : 0;
}
