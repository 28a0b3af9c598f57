/* Loads program.c, built as a library, and runs it. This is a program that does not know of MPI
 * when it starts. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: loading_program LIBRARY");
        return 1;
    }
    int (*run)(void);
    *(void **)&run = dlsym(library, "run");
    return run();
}
