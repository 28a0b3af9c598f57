/* Zoo: programs with nothing to mend (zoo.h, score.py). Their "twins" are themselves.
 *
 * zoo: stencil healthy
 * zoo: seldom healthy
 * zoo: polls_between healthy
 * zoo: clocked healthy
 */
#include "zoo.h"

enum { STEPS = 60, STEP_US = 20000 };

/* Even work, a halo and a sum in each step. */
PLACE relax_field(long us)
{
    compute_us(us);
}

static void stencil(void)
{
    static double border[2][512];
    for (int step = 0; step < STEPS; step++) {
        relax_field(STEP_US * 2 / size);
        MPI_Sendrecv(border[0], 512, MPI_DOUBLE, (rank + 1) % size, 0, border[1], 512, MPI_DOUBLE,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum_of_all(1);
    }
}

/* Independent samples; MPI in the end only. */
PLACE draw_samples(long us)
{
    compute_us(us);
}

static void seldom(void)
{
    for (int step = 0; step < STEPS; step++)
        draw_samples(STEP_US * 2 / size);
    sum_of_all(1);
}

/* It asks MPI for progress while it computes. */
static void polls_between(void)
{
    static double mine[1 << 15], got[1 << 15];
    for (int step = 0; step < STEPS; step++) {
        MPI_Request both[2];
        MPI_Status ends[2];
        int done;
        MPI_Irecv(got, 1 << 15, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(mine, 1 << 15, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &both[1]);
        for (int part = 0; part < 100; part++) {
            relax_field(STEP_US * 2 / size / 100);
            MPI_Testall(2, both, &done, ends);
        }
        MPI_Waitall(2, both, ends);
    }
}

/* It takes the time of each cell. */
PLACE time_cells(int cells)
{
    double spent = 0;
    for (int cell = 0; cell < cells; cell++) {
        const double begin = MPI_Wtime();
        for (int i = 0; i < 20; i++)
            kept = kept * 0.5 + 1;
        spent += MPI_Wtime() - begin;
    }
    kept += spent * 1e-9;
}

static void clocked(void)
{
    for (int step = 0; step < STEPS; step++) {
        relax_field(STEP_US / 2 * 2 / size);
        time_cells(100000 / size);
        sum_of_all(1);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"stencil", stencil},
                                            {"seldom", seldom},
                                            {"polls_between", polls_between},
                                            {"clocked", clocked},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
