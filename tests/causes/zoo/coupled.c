/* Zoo: two programs of one job, started with a half of the ranks each (zoo.h, score.py). They meet
 * after each step; the ocean takes twice as long as the atmosphere.
 *
 * zoo: slow_ocean uneven rank upper at ocean_step two_programs
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
    const int half = size / 2;
    const long us = STEP_US * 2 / size;
    double flux = 0;
    for (int step = 0; step < STEPS; step++) {
        if (rank >= half)
            ocean_step(mended ? us : us * 4 / 3);
        else
            atmosphere_step(mended ? us : us * 2 / 3);
        if (half > 0)
            MPI_Sendrecv_replace(&flux, 1, MPI_DOUBLE, (rank + half) % size, 0,
                                 (rank + half) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"slow_ocean", slow_ocean}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
