/* Zoo: molecules with a team of threads (../zoo.h, score.py). The twins: each thread has its own
 * sum, the list is built by all threads.
 *
 * zoo: one_sum threads rank 0 at add_forces threads
 * zoo: one_builder threads rank 0 at build_list threads
 * zoo: even_tasks healthy rank any threads
 */
#include "zoo.h"
#include <omp.h>

enum { STEPS = 32, STEP_US = 20000, CELLS = 100 };

PLACE pair_terms(long us)
{
#pragma omp parallel for schedule(static)
    for (int cell = 0; cell < CELLS; cell++)
        compute_us(us / CELLS);
}

/* Most of a cell's work is done where only one thread may be. */
PLACE add_forces(double *force)
{
    if (mended) {
        double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int cell = 0; cell < CELLS; cell++) {
            compute_us(STEP_US * 3 / 2 / CELLS);
            sum += cell;
        }
        *force += sum;
        return;
    }
#pragma omp parallel for schedule(static)
    for (int cell = 0; cell < CELLS; cell++) {
#pragma omp critical
        {
            compute_us(STEP_US * 3 / 2 / CELLS);
            *force += cell;
        }
    }
}

static void one_sum(void)
{
    double force = 0;
    for (int step = 0; step < STEPS; step++) {
        pair_terms(STEP_US);
        add_forces(&force);
        sum_of_all(force);
    }
}

/* One thread builds the list while its team waits at the end of the section. */
PLACE build_list(int *list)
{
#pragma omp parallel
    {
        if (mended) {
#pragma omp for schedule(static)
            for (int cell = 0; cell < CELLS; cell++) {
                compute_us(STEP_US * 3 / 2 / CELLS);
                list[cell] = cell;
            }
        } else {
#pragma omp single
            for (int cell = 0; cell < CELLS; cell++) {
                compute_us(STEP_US * 3 / 2 / CELLS);
                list[cell] = cell;
            }
        }
    }
}

static void one_builder(void)
{
    static int list[CELLS];
    for (int step = 0; step < STEPS; step++) {
        build_list(list);
        pair_terms(STEP_US);
        sum_of_all(list[CELLS - 1]);
    }
}

/* As much for each thread: nothing is to be gained. */
static void even_tasks(void)
{
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
#pragma omp single
        for (int cell = 0; cell < CELLS; cell++) {
#pragma omp task
            compute_us(STEP_US * 2 / CELLS);
        }
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"one_sum", one_sum},
                                            {"one_builder", one_builder},
                                            {"even_tasks", even_tasks},
                                            {NULL, NULL}};
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    return run_case(count, words, cases);
}
