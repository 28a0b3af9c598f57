/* Zoo: a master that deals tasks out or takes results in, with more workers than it can serve
 * (../zoo.h, score.py). The twins: pieces twice as large, so half as many answers.
 *
 * zoo: dealer uneven rank 0 at plan_task|dealer three master
 * zoo: collector uneven rank 0 at fold_result|collector three master
 *
 * Not to be called so: a master that is idle most of the time, and a rank that has more work in
 * each step, after which all exchange with it.
 *
 * zoo: idle_master healthy rank any three
 * zoo: long_root uneven rank 0 at heavy_cells three
 *
 * Gain: the master's work is halved, 0.6 s of 1.2 s, as far as the workers' is not longer.
 */
#include "zoo.h"

enum { TASKS = 600, PLAN_US = 2000, TASK_US = 600, RESULT = 2048, STOP = 1, WORK = 2 };

PLACE plan_task(void)
{
    compute_us(PLAN_US);
}

PLACE do_task(long us)
{
    compute_us(us);
}

/* Who asks gets the next task; nothing is left: it is told to stop. */
static void answer(int *left, int who)
{
    const bool has_more = *left > 0;
    if (has_more)
        (*left)--;
    MPI_Send(left, 1, MPI_INT, who, has_more ? WORK : STOP, MPI_COMM_WORLD);
}

static bool ask(double *result, int count)
{
    int number;
    MPI_Status status;
    MPI_Send(result, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    return status.MPI_TAG == WORK;
}

/* Each answer costs the master more than a task costs a worker. */
PLACE dealer(void)
{
    static double result[RESULT];
    const int pieces = mended ? 2 : 1;
    if (rank > 0) {
        while (ask(result, 1))
            do_task(TASK_US * pieces);
        return;
    }
    int left = TASKS / pieces;
    for (int answers = left + size - 1; answers > 0; answers--) {
        MPI_Status status;
        MPI_Recv(result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (left > 0)
            plan_task();
        answer(&left, status.MPI_SOURCE);
    }
}

PLACE fold_result(const double *result)
{
    compute_us(PLAN_US);
    kept = kept + result[0];
}

/* The master folds each result into the sum before it answers, found by MPI_Probe. */
PLACE collector(void)
{
    static double result[RESULT];
    const int pieces = mended ? 2 : 1;
    if (rank > 0) {
        while (ask(result, RESULT))
            do_task(TASK_US * pieces);
        return;
    }
    int left = TASKS / pieces;
    for (int answers = left + size - 1; answers > 0; answers--) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Recv(result, RESULT, MPI_DOUBLE, status.MPI_SOURCE, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (left > 0)
            fold_result(result);
        answer(&left, status.MPI_SOURCE);
    }
}

/* The tasks are long, and an answer costs next to nothing: the workers have enough to do. */
PLACE idle_master(void)
{
    double result = 0;
    if (rank > 0) {
        while (ask(&result, 1))
            do_task(5 * TASK_US);
        return;
    }
    int left = TASKS;
    for (int answers = left + size - 1; answers > 0; answers--) {
        MPI_Status status;
        MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        answer(&left, status.MPI_SOURCE);
    }
}

PLACE heavy_cells(long us)
{
    compute_us(us);
}

/* All ranks work, rank 0 longer; then it takes a value of each and gives it back. */
static void long_root(void)
{
    enum { STEPS = 60, STEP_US = 8000 };
    double edge = 0;
    for (int step = 0; step < STEPS; step++) {
        heavy_cells(rank == 0 && !mended ? 3 * STEP_US : STEP_US);
        if (rank > 0) {
            MPI_Send(&edge, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&edge, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        for (int from = 1; from < size; from++)
            MPI_Recv(&edge, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int to = 1; to < size; to++)
            MPI_Send(&edge, 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"dealer", dealer},
                                            {"collector", collector},
                                            {"idle_master", idle_master},
                                            {"long_root", long_root},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
