/* Calls MPI from many places, for run_places.py. A comment "@N F" says that each rank makes N calls
 * on this line, in function F. A shared library and a plug-in do the same (places_library.c,
 * compiled twice). The plug-in is loaded while the program runs. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

void in_library(int calls);

/* Two lines call it: in it return address and stack pointer are the same for both. */
static __attribute__((noinline)) double dot(double x)
{
    double sum = 0;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* @30 dot */
    return sum;
}

static inline __attribute__((always_inline)) void inlined(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* @7 inlined */
}

static __attribute__((noinline)) double solver(void)
{
    double sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += dot(i);       /* path of 10 */
        sum += dot(sum) / 2; /* path of 10 */
    }
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* @1 main */
    double sum = solver();
    for (int i = 0; i < 10; i++)
        sum += dot(i); /* path of 10 */
    for (int i = 0; i < 7; i++)
        inlined();
    in_library(5);
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void (*in_plugin)(int) = NULL;
    if (plugin != NULL)
        *(void **)&in_plugin = dlsym(plugin, "in_plugin");
    if (in_plugin != NULL)
        in_plugin(6);
    MPI_Finalize(); /* @1 main */
    return sum < 0;
}
