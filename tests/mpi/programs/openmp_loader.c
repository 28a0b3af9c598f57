/* Loads a library with OpenMP for itself alone, as Python does with compiled modules, for
 * run_openmp.py. openmp_loader LIBRARY. Prints what the regions give, and whether dlsym() finds an
 * OpenMP library where there is none. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static long load_and_sum(const char *path, long items)
{
    long (*sum)(long);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return -1;
    void *found = dlsym(library, "sum_in_parallel");
    memcpy(&sum, &found, sizeof sum);
    long result = sum(items) + sum(items);
    return result;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("OpenMP before %d, ", dlsym(RTLD_DEFAULT, "GOMP_parallel") != NULL);
    printf("error %d\n", dlerror() == NULL);
    for (int i = 0; i < 3; i++) {
        long result = load_and_sum(argv[1], 100);
        printf("sum %ld error %d\n", result, dlerror() != NULL);
    }
    MPI_Finalize();
    return 0;
}
