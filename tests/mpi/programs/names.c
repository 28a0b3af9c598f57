/* Names that are hard to write down: names REGION COMMUNICATOR makes two reductions in a region of
 * that name, on a communicator of that name (run_names.py). */
#include <mpi.h>

#include "mprof/mprof.h"

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, argv[2]);
    mprof_region_begin(argv[1]);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    mprof_region_end(argv[1]);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
