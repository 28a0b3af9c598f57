/* A program that uses mprof's header and is linked with libmprof.so. It works the same without an
 * MPI. */
#include <mprof/mprof.h>
#include <stdio.h>

int main(void)
{
    mprof_region_begin("all");
    mprof_region_end("all");
    printf("mprof is %s\n", mprof_is_present() ? "here" : "not here");
    return 0;
}
