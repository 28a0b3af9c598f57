/* errno is the program's: what libmprof tries and does not get leaves no trace in it.
 * MPI_Pcontrol's second argument is a pointer that leads nowhere, which the kernel tells libmprof.
 */
#include <errno.h>

#include "harmless.h"

int main(int argc, char **argv)
{
    const char *const nowhere = (const char *)16;
    MPI_Init(&argc, &argv);
    errno = 77;
    for (int i = 0; i < 5; i++)
        MPI_Pcontrol(1, nowhere);
    printf("errno %d\n", errno);
    made("MPI_Pcontrol", 5);
    MPI_Finalize();
    return 0;
}
