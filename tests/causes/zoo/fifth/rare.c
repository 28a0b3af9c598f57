/* Zoo: a few steps of many that are far longer, on one rank (../zoo.h, score.py). In the twins all
 * ranks share that work, or it is not done.
 *
 * zoo: rebuild uneven rank last at rebuild_lists rare_steps
 * zoo: adapt uneven rank changes at refine_region|adapt rare_steps
 * zoo: remote_log blocked rank 0 at send_log rare_steps
 *
 * Not to be called so: all ranks have the long steps, one step alone is long, half of all are.
 *
 * zoo: even_output healthy
 * zoo: warm_up healthy
 * zoo: every_other uneven rank last at deep_cells
 *
 * Gain: half of 8 x 100 ms (2 ranks), half of 10 x 80 ms, 8 x 90 ms.
 */
#include "zoo.h"
#include <time.h>

enum { STEPS = 200, STEP_US = 5000, REBUILD_US = 100000, REFINE_US = 80000, LOG_MS = 90 };

PLACE usual_cells(long us)
{
    compute_us(us);
}

/* Of `every` steps one has it, and never the first. */
static bool is_time(int step, int every)
{
    return step % every == every - 1;
}

PLACE rebuild_lists(long us)
{
    compute_us(us);
}

/* The last rank has the lists of all cells. */
static void rebuild(void)
{
    for (int step = 0; step < STEPS; step++) {
        usual_cells(STEP_US * 2 / size);
        if (is_time(step, 25) && mended)
            rebuild_lists(REBUILD_US / size);
        else if (is_time(step, 25) && rank == size - 1)
            rebuild_lists(REBUILD_US);
        sum_of_all(1);
    }
}

PLACE refine_region(long us)
{
    compute_us(us);
}

/* The region that becomes finer lies in another rank each time. */
PLACE adapt(void)
{
    for (int step = 0; step < STEPS; step++) {
        usual_cells(STEP_US * 2 / size);
        if (is_time(step, 20) && mended)
            refine_region(REFINE_US / size);
        else if (is_time(step, 20) && step / 20 % size == rank)
            refine_region(REFINE_US);
        sum_of_all(1);
    }
}

/* The first rank tells a server how far the run is, and waits for its answer. */
PLACE send_log(void)
{
    const struct timespec answer = {0, LOG_MS * 1000000L};
    nanosleep(&answer, NULL);
}

static void remote_log(void)
{
    for (int step = 0; step < STEPS; step++) {
        usual_cells(STEP_US * 2 / size);
        if (is_time(step, 25) && rank == 0 && !mended)
            send_log();
        sum_of_all(1);
    }
}

PLACE format_output(long us)
{
    compute_us(us);
}

static void even_output(void)
{
    for (int step = 0; step < STEPS; step++) {
        usual_cells(STEP_US * 2 / size);
        if (is_time(step, 25))
            format_output(REBUILD_US / size);
        sum_of_all(1);
    }
}

static void warm_up(void)
{
    for (int step = 0; step < 2 * STEPS; step++) {
        usual_cells(STEP_US * 2 / size);
        if (step == 7 && rank == size - 1)
            rebuild_lists(REBUILD_US / 2);
        sum_of_all(1);
    }
}

PLACE deep_cells(long us)
{
    compute_us(us);
}

static void every_other(void)
{
    for (int step = 0; step < STEPS; step++) {
        usual_cells(STEP_US * 2 / size);
        if (is_time(step, 2) && mended)
            deep_cells(2L * STEP_US / size);
        else if (is_time(step, 2) && rank == size - 1)
            deep_cells(2L * STEP_US);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"rebuild", rebuild},
                                            {"adapt", adapt},
                                            {"remote_log", remote_log},
                                            {"even_output", even_output},
                                            {"warm_up", warm_up},
                                            {"every_other", every_other},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
