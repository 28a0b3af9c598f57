/* errno belongs to the program: failed attempts of libmprof leave no trace in it. The second
 * argument of MPI_Pcontrol is a pointer that leads nowhere. The kernel tells libmprof so. */
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
