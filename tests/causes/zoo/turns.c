/* Zoo: ranks that work one after the other (zoo.h, score.py). In the twin they do so at once.
 *
 * zoo: chain in_turn rank any at sweep_block
 * zoo: ordered_output in_turn rank any at print_in_order
 * zoo: moving in_turn rank any at refine_patch
 */
#include "zoo.h"

enum { STEPS = 50, STEP_US = 12000 };

/* Each rank needs the last value of the rank before it, and hands its own on. */
PLACE sweep_block(long us)
{
    double edge = 0;
    if (rank > 0 && !mended)
        MPI_Recv(&edge, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute_us(us);
    if (rank < size - 1 && !mended)
        MPI_Send(&edge, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
}

static void chain(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US);
        sweep_block(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

/* Rank by rank, barriers between: each formats its values when it is its turn. */
PLACE print_in_order(long us)
{
    if (mended) {
        compute_us(us);
        return;
    }
    for (int turn = 0; turn < size; turn++) {
        if (turn == rank)
            compute_us(us);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void ordered_output(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        print_in_order(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

/* The patch that is refined lies in another rank in each step. */
PLACE refine_patch(long us)
{
    compute_us(us);
}

static void moving(void)
{
    for (int step = 0; step < 2 * STEPS; step++) {
        refine_patch(STEP_US * 2 / size / 3);
        if (mended)
            refine_patch(STEP_US / size);
        else if (step % size == rank)
            refine_patch(STEP_US);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"chain", chain}, {"ordered_output", ordered_output}, {"moving", moving}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
