/* A program that is not linked with MPI and opens it while it runs. It finds out which MPI it is
 * from the file that defines MPI_Init, and makes that file global, as NEURON, ESPResSo and mpi4py
 * do it. Then it calls MPI. */
#include <dlfcn.h>

#include "harmless.h"

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#else
#define LIBRARY "libmpich.so.12"
#endif

typedef int init_type(int *, char ***);
typedef int finalize_type(void);
typedef int initialized_type(int *);

int main(int argc, char **argv)
{
    REQUIRE(dlsym(RTLD_DEFAULT, "MPI_Init") == NULL);
    const int scope = argc > 1 && strcmp(argv[1], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL;
    void *mpi = dlopen(LIBRARY, RTLD_NOW | scope);
    if (mpi == NULL)
        not_here("not installed: " LIBRARY);
    init_type *init = (init_type *)dlsym(scope == RTLD_GLOBAL ? RTLD_DEFAULT : mpi, "MPI_Init");
    Dl_info info;
    REQUIRE(init != NULL && dladdr((void *)init, &info) != 0);
    void *file = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    REQUIRE(file == mpi);
    const int is_open_mpi = dlsym(file, "ompi_mpi_init") != NULL;
    printf("Open MPI %d, its world %d\n", is_open_mpi,
           dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL);
    init_type *again = (init_type *)dlsym(RTLD_DEFAULT, "MPI_Init");
    finalize_type *finalize = (finalize_type *)dlsym(RTLD_NEXT, "MPI_Finalize");
    initialized_type *initialized = (initialized_type *)dlsym(file, "MPI_Initialized");
    printf("the same %d, next %d\n", again == init, finalize != NULL);
    if (finalize == NULL)
        finalize = (finalize_type *)dlsym(mpi, "MPI_Finalize");
    int flag = -1;
    init(&argc, &argv);
    initialized(&flag);
    REQUIRE(flag == 1);
    made("MPI_Initialized", 1);
    finalize();
    return 0;
}
