/* Asks for the address of MPI_Barrier from a library. The program is same_answers.c. */
#include <dlfcn.h>

#include "harmless.h"

void *ask(int way);
void *ask(int way)
{
    if (way == 0)
        return (void *)MPI_Barrier;
    return dlsym(way == 1 ? RTLD_DEFAULT : RTLD_NEXT, "MPI_Barrier");
}
