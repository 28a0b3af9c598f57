/* A stand-in for HDF5, for run_places.py: its functions call each other a dozen deep before the
 * last one calls MPI, more than a path of mprof has. With -DLIBRARY it is libhdf5.so, else the
 * program that calls it from two lines. */
#include <mpi.h>

#define NOINLINE __attribute__((noinline))

double storage_write(double value, int depth);

#ifdef LIBRARY
static NOINLINE double deeper(double value, int depth)
{
    double sum = 0;
    if (depth > 0)
        return deeper(value, depth - 1) + 1;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

double storage_write(double value, int depth)
{
    return deeper(value, depth) + 1;
}
#else
static NOINLINE double write_fields(void)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += storage_write(i, 12); /* @6 write_fields MPI_Allreduce, a dozen frames further in */
    for (int i = 0; i < 4; i++)
        sum += storage_write(i, 20); /* @4 write_fields MPI_Allreduce, twenty */
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* @1 main */
    double sum = write_fields();
    MPI_Finalize(); /* @1 main */
    return sum < 0;
}
#endif
