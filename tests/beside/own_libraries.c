/* A program with functions of its own under the names of libraries that libmprof or an MPI might
 * use. If anybody but the program calls one, the function says so and ends the program. Used by
 * run_beside.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN(name)                                           \
    int name(void);                                         \
    int name(void)                                          \
    {                                                       \
        fprintf(stderr, "somebody called our " #name "\n"); \
        abort();                                            \
    }

#ifndef PLAIN
OWN(ZSTD_compress)
OWN(ZSTD_compressBound)
OWN(ZSTD_isError)
OWN(ZSTD_compressCCtx)
OWN(unw_step)
OWN(unw_getcontext)
OWN(_ULx86_64_step)
OWN(PAPI_library_init)
OWN(PAPI_add_event)
OWN(crc32)
OWN(mprof_crc32)
OWN(warn_set_quiet)
OWN(arena_open)
OWN(compress)
#endif

int main(int argc, char **argv)
{
    int rank, mine = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 60; i++)
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
