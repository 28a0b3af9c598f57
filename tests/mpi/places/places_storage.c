/* A stand-in for HDF5 and NetCDF, for run_places.py: their functions call each other a dozen deep
 * before the last one calls MPI, more than a path of mprof has. With -DHDF5 it is libhdf5.so, with
 * -DNETCDF libnetcdf.so, which calls that, else the program that calls both. At most 24 are walked;
 * those of Debian have fewer. */
#include <mpi.h>

#define NOINLINE __attribute__((noinline))

double storage_write(double value, int depth);
double variable_write(double value, int depth);

#if defined HDF5
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
#elif defined NETCDF
static NOINLINE double outer(double value, int depth)
{
    return depth > 0 ? outer(value, depth - 1) + 1 : storage_write(value, 12) + 1;
}

double variable_write(double value, int depth)
{
    return outer(value, depth) + 1;
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

static NOINLINE double write_variables(void)
{
    double sum = 0;
    for (int i = 0; i < 7; i++)
        sum += variable_write(i, 2); /* @7 write_variables MPI_Allreduce, through both libraries */
    for (int i = 0; i < 3; i++)
        sum += variable_write(i, 6); /* @3 write_variables MPI_Allreduce, twenty in both */
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* @1 main */
    double sum = write_fields() + write_variables();
    MPI_Finalize(); /* @1 main */
    return sum < 0;
}
#endif
