/* Names its regions, by mprof.h and by MPI_Pcontrol. run_regions.py knows what must be counted
 * where. Rank 0 has a region that the others do not have. The program runs without mprof, too. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "mprof/mprof.h"

enum { STEPS = 5, COMPUTE_US = 20000 };

static void barriers(int count)
{
    while (count-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void solve(void)
{
    double in = 1;
    double out;
    for (int step = 0; step < STEPS; step++) {
        mprof_region_begin("step");
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        mprof_region_begin("exchange");
        barriers(2);
        mprof_region_end("exchange");
        mprof_region_end("step");
    }
    usleep(COMPUTE_US);
    barriers(1);
}

/* As code that was instrumented for IPM or mpiP does it. */
static void use_pcontrol(void)
{
    MPI_Pcontrol(1, "ipm");
    barriers(3);
    MPI_Pcontrol(-1, "ipm");
    MPI_Pcontrol(0);
    barriers(7); /* not recorded */
    MPI_Pcontrol(1);
    barriers(1);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mprof_region_begin("solve");
    solve();
    mprof_region_end("solve");
    mprof_region_end("solve"); /* twice */
    use_pcontrol();
    if (rank == 0) {
        mprof_region_begin("only rank 0");
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        mprof_region_begin("left open");
        mprof_region_end("only rank 0");
    }
    mprof_region_begin("never ended");
    barriers(1);
    MPI_Finalize();
    printf("present %d\n", mprof_is_present());
    return 0;
}
