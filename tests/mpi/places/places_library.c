/* A shared library that calls MPI. With -DPLUGIN it is one that is loaded by dlopen() (places.c).
 */
#include <mpi.h>

#ifdef PLUGIN
void in_plugin(int calls);
void in_plugin(int calls)
{
    for (int i = 0; i < calls; i++)
        MPI_Barrier(MPI_COMM_WORLD); /* @6 in_plugin */
}
#else
void in_library(int calls);
void in_library(int calls)
{
    for (int i = 0; i < calls; i++)
        MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD); /* @5 in_library */
}
#endif
