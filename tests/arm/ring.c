/* For run_package.py: each rank sends to the next one from two lines of a helper's callers. With
 * the argument "hang" the last rank does not come to the last reduction. A comment "@N" says how
 * often each rank calls on this line; "hangs here" is where it hangs. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static void __attribute__((noinline)) shift(double *value)
{
    double from_left;
    MPI_Sendrecv(value, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &from_left, 1, MPI_DOUBLE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *value = from_left * 0.5;
}

int main(int argc, char **argv)
{
    double value = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 70; i++)
        shift(&value); /* @70 */
    for (int i = 0; i < 30; i++)
        shift(&value); /* @30 */
    if (argc > 1 && strcmp(argv[1], "hang") == 0 && rank == ranks - 1)
        sleep(600);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* hangs here */
    return MPI_Finalize();
}
