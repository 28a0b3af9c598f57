/* Zoo: teams of threads, one rank with as many as the other programs have ranks (../zoo.h,
 * score.py).
 *
 * zoo: few_threads threads rank 0 at integrate_cells threads
 * zoo: sections threads rank 0 at run_sections threads
 * zoo: even_team healthy rank any threads
 */
#include "zoo.h"

enum { STEPS = 40, STEP_US = 20000, ROWS = 200 };

PLACE smooth_rows(long us)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < ROWS; row++)
        compute_us(us / ROWS);
}

/* A loop that asks for one thread only. */
PLACE integrate_cells(long us)
{
#pragma omp parallel for schedule(static) if (mended)
    for (int row = 0; row < ROWS; row++)
        compute_us(us / ROWS);
}

static void few_threads(void)
{
    for (int step = 0; step < STEPS; step++) {
        smooth_rows(STEP_US / 2);
        integrate_cells(STEP_US * 2);
        sum_of_all(1);
    }
}

/* One section is ten times as long as the other ones; the twin has many of the same length. */
PLACE run_sections(long us)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int part = 0; part < (mended ? 40 : 4); part++)
        compute_us(mended ? us / 40 : part == 0 ? us * 10 / 13 : us / 13);
}

static void sections(void)
{
    for (int step = 0; step < STEPS; step++) {
        run_sections(2L * STEP_US);
        sum_of_all(1);
    }
}

static void even_team(void)
{
    for (int step = 0; step < STEPS; step++) {
        smooth_rows(2L * STEP_US);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"few_threads", few_threads},
                                            {"sections", sections},
                                            {"even_team", even_team},
                                            {NULL, NULL}};
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    return run_case(count, words, cases);
}
