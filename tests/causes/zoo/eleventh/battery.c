/* Zoo: what goes on in the cells of a car's battery (../zoo.h, score.py).
 *
 * zoo: all_converged latency rank any at solve_cell|ask_converged
 * After each Newton step of each cell all ranks are asked whether theirs has converged, too, so
 * that all take as many steps: 2400000/size times for an arithmetic of 0.6 us. The twin asks once
 * for all cells of a time step.
 *
 * zoo: cycler blocked+uneven rank any at ask_cycler|charge_cells|cycler
 * Rank 0 waits 18 ms for the answer of the device that charges a real cell, in each of 80 steps.
 * The others have got cells of it for that: of two ranks it has 40 of 400 cells and waits, where
 * the other has 360. Either alone gains nothing; in the twin nobody waits, and both have 200 cells.
 */
#include "zoo.h"
#include <poll.h>

enum { CELLS = 400, LAYERS = 24 };

static double charge[CELLS][LAYERS];

PLACE newton_step(double *layers)
{
    double before = 0.5;
    for (int round = 0; round < 14; round++)
        for (int layer = 0; layer < LAYERS; layer++) {
            before = 0.6 * layers[layer] + 0.39 * before;
            layers[layer] = before;
        }
}

/* -> whether no rank's cell changes any more */
PLACE ask_converged(double change, int *converged)
{
    const int mine = change < 1e-300;
    MPI_Allreduce(&mine, converged, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
}

PLACE solve_cell(double *layers)
{
    int converged = 0;
    for (int iteration = 0; iteration < 4 && !converged; iteration++) {
        newton_step(layers);
        if (!mended)
            ask_converged(1 + layers[0], &converged);
    }
}

static void all_converged(void)
{
    enum { STEPS = 1500 };
    int converged;
    for (int step = 0; step < STEPS; step++) {
        for (int cell = 0; cell < CELLS / size; cell++)
            solve_cell(charge[cell]);
        ask_converged(1, &converged);
    }
}

PLACE charge_cells(int count)
{
    for (int cell = 0; cell < count; cell++)
        for (int pass = 0; pass < 105; pass++)
            newton_step(charge[cell]);
}

/* It stands in the laboratory. */
PLACE ask_cycler(void)
{
    enum { ANSWER_MS = 18 };
    if (!mended)
        poll(NULL, 0, ANSWER_MS);
}

PLACE cycler(void)
{
    enum { STEPS = 80 };
    const int share = CELLS / size, less = share / 5;
    const bool has_cycler = rank == 0 && size > 1;
    int count = share;
    if (!mended && size > 1)
        count = has_cycler ? less : (CELLS - less) / (size - 1);
    for (int step = 0; step < STEPS; step++) {
        if (has_cycler)
            ask_cycler();
        charge_cells(count);
        sum_of_all(charge[0][LAYERS - 1]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"all_converged", all_converged}, {"cycler", cycler}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
