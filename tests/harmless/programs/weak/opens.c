/* Opens the libraries of its arguments. It is not linked with MPI (-Wl,--as-needed). */
#include <dlfcn.h>

#include "harmless.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (dlopen(argv[i], RTLD_NOW | RTLD_LOCAL) == NULL)
            printf("%s\n", dlerror());
    return 0;
}
