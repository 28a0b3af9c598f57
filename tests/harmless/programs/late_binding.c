/* Opens late_library.c with the flags of its argument, and finds functions of MPI by name, too.
 * With WITHOUT_MPI the program is not linked with MPI itself. */
#include <dlfcn.h>

#include "harmless.h"

typedef void call_type(int);
typedef void call_found_type(void *, int);
typedef int barrier_type(MPI_Comm);

static int flags_of(const char *name)
{
    if (strcmp(name, "deep") == 0)
        return RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
    if (strcmp(name, "lazy-deep") == 0)
        return RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND;
    return RTLD_NOW | RTLD_LOCAL;
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 20, FOUND = 3 };
    REQUIRE(argc == 3);
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *library = dlopen(argv[1], flags_of(argv[2]));
    if (library == NULL)
        printf("%s\n", dlerror());
    REQUIRE(library != NULL);
    call_type *call = (call_type *)dlsym(library, "call_mpi");
    call_found_type *call_found = (call_found_type *)dlsym(library, "call_found");
    REQUIRE(call != NULL && call_found != NULL);
    void *everything = dlopen(NULL, RTLD_LAZY);
    barrier_type *found[FOUND] = {(barrier_type *)dlsym(RTLD_DEFAULT, "MPI_Barrier"),
                                  (barrier_type *)dlsym(everything, "MPI_Barrier"),
                                  (barrier_type *)dlvsym(RTLD_DEFAULT, "MPI_Barrier", "ANY")};
    for (int i = 0; i < ROUNDS; i++) {
        call(1 - rank);
        call_found(RTLD_DEFAULT, 1 - rank);
        for (int j = 0; j < FOUND; j++)
            if (found[j] != NULL)
                found[j](MPI_COMM_WORLD);
    }
    REQUIRE(dlsym(RTLD_DEFAULT, "MPI_No_such_function") == NULL);
    made("MPI_Send", 2 * ROUNDS);
    made("MPI_Irecv", 2 * ROUNDS);
    made("MPI_Wait", 2 * ROUNDS);
    made("MPI_Barrier",
         ROUNDS * (1 + (found[0] != NULL) + (found[1] != NULL) + (found[2] != NULL)));
    MPI_Finalize();
    return 0;
}
