/* Zoo: two programs of one job, the ocean on the last rank only (zoo.h, score.py). They meet after
 * each step; the ocean has three quarters of the work.
 *
 * zoo: slow_ocean uneven rank last at ocean_step two_programs
 */
#include "zoo.h"

enum { STEPS = 50, STEP_US = 20000 };

PLACE ocean_step(long us)
{
    compute_us(us);
}

PLACE atmosphere_step(long us)
{
    compute_us(us);
}

static void slow_ocean(void)
{
    const int last = size - 1;
    const long all = 2L * STEP_US;
    double flux = 0;
    for (int step = 0; step < STEPS; step++) {
        if (rank == last)
            ocean_step(mended ? all / size : all * 3 / 4);
        else
            atmosphere_step(mended ? all / size : all / 4 / last);
        MPI_Bcast(&flux, 1, MPI_DOUBLE, last, MPI_COMM_WORLD);
        sum_of_all(flux);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"slow_ocean", slow_ocean}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
