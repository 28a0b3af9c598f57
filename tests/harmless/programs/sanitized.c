/* A correct program, compiled with a sanitizer. It also opens a library and uses the heap, which a
 * sanitizer watches. With OWN_OPTIONS it has options of its own for AddressSanitizer. */
#include <dlfcn.h>

#include "harmless.h"

#ifdef OWN_OPTIONS
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:malloc_context_size=5";
}
#endif

int main(int argc, char **argv)
{
    enum { VALUES = 1000, ROUNDS = 10 };
    MPI_Init(&argc, &argv);
    void *library = dlopen("libm.so.6", RTLD_NOW);
    REQUIRE(library != NULL && dlsym(library, "cos") != NULL);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        int *values = calloc(VALUES, sizeof *values);
        int *sums = calloc(VALUES, sizeof *sums);
        REQUIRE(values != NULL && sums != NULL);
        values[rank] = 1;
        MPI_Allreduce(values, sums, VALUES, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        REQUIRE(sums[0] == 1);
        free(values);
        free(sums);
    }
    made("MPI_Comm_rank", 1);
    made("MPI_Allreduce", ROUNDS);
    MPI_Finalize();
    return 0;
}
