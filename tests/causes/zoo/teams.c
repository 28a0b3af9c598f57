/* Zoo: teams of OpenMP threads (zoo.h, score.py). One rank with as many threads as the other
 * programs have ranks. In the twin all threads work all the time.
 *
 * zoo: serial_part threads rank 0 at assemble_matrix threads
 * zoo: uneven_loop threads rank 0 at triangular_loop threads
 */
#include "zoo.h"
#include <omp.h>

enum { STEPS = 40, STEP_US = 20000, ROWS = 200 };

PLACE parallel_rows(long us)
{
#pragma omp parallel for schedule(static)
    for (int row = 0; row < ROWS; row++)
        compute_us(us / ROWS);
}

/* One thread alone; the twin's have a part each. */
PLACE assemble_matrix(long us)
{
    if (mended)
        parallel_rows(us);
    else
        compute_us(us);
}

static void serial_part(void)
{
    for (int step = 0; step < STEPS; step++) {
        parallel_rows(STEP_US);
        assemble_matrix(STEP_US * 3 / 2);
        sum_of_all(1);
    }
}

/* Row by row less to do: the first thread has nearly all of it. */
static long row_us(int row, long us)
{
    double part = 8.0 / ROWS;
    for (int power = 0; power < 7; power++)
        part *= (double)(ROWS - row) / ROWS;
    return (long)((double)us * part);
}

PLACE triangular_loop(long us)
{
    if (mended) {
#pragma omp parallel for schedule(dynamic, 1)
        for (int row = 0; row < ROWS; row++)
            compute_us(row_us(row, us));
    } else {
#pragma omp parallel for schedule(static)
        for (int row = 0; row < ROWS; row++)
            compute_us(row_us(row, us));
    }
}

static void uneven_loop(void)
{
    for (int step = 0; step < STEPS; step++) {
        triangular_loop(2L * STEP_US);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"serial_part", serial_part}, {"uneven_loop", uneven_loop}, {NULL, NULL}};
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    return run_case(count, words, cases);
}
