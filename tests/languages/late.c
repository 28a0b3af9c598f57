/* A program that knows nothing of MPI and loads a Fortran library that calls it: late LIBRARY. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run_calls)(void) = NULL;
    if (library != NULL)
        *(void **)&run_calls = dlsym(library, "run_calls");
    if (run_calls == NULL) {
        fprintf(stderr, "late: %s\n", argc == 2 ? dlerror() : "usage: late LIBRARY");
        return 2;
    }
    return run_calls() == 0 ? 0 : 1;
}
