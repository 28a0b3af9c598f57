/* A program that uses mprof's header and is linked with libmprof.so, and works the same without an
 * MPI. */
#include <mprof/format.h>
#include <stdio.h>

int main(void)
{
    printf("profile format %d.%d\n", MPROF_FORMAT_MAJOR, MPROF_FORMAT_MINOR);
    return 0;
}
