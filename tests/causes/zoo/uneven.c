/* Zoo: ranks that work more than others (zoo.h, score.py). The twin divides the same work evenly.
 *
 * zoo: fixed uneven rank 0 at heavy_cells
 * zoo: halves uneven rank changes at smooth_field
 * zoo: gradient uneven rank last at apply_stencil
 * zoo: empty_block uneven rank 0 at pair_forces
 * zoo: late_root uneven rank 0 at build_table
 * zoo: shared_leaf uneven rank last at crowded_cells
 * zoo: rows uneven rank last at row_solver
 */
#include "zoo.h"

enum { STEPS = 60, STEP_US = 16000 };

/* Rank 0 has three times the cells of each other one. */
PLACE heavy_cells(int cells)
{
    for (int cell = 0; cell < cells; cell++)
        compute_us(100);
}

static void fixed(void)
{
    const int all = STEP_US * 2 / 100;
    const int light = all / (size + 2);
    const int cells = mended ? all / size : rank == 0 ? all - light * (size - 1) : light;
    for (int step = 0; step < STEPS; step++) {
        heavy_cells(cells);
        sum_of_all(1);
    }
}

/* Rank 0 works twice as long as the others in the first half, the last one in the second. */
PLACE smooth_field(long us)
{
    compute_us(us);
}

static void halves(void)
{
    for (int step = 0; step < STEPS; step++) {
        const int slow = step < STEPS / 2 ? 0 : size - 1;
        const long unit = 2L * STEP_US / (size + 1);
        smooth_field(mended ? 2L * STEP_US / size : rank == slow ? 2 * unit : unit);
        sum_of_all(1);
    }
}

/* Each rank has three times the work of the one before. */
PLACE apply_stencil(long us)
{
    compute_us(us);
}

static void gradient(void)
{
    double halo = rank, got = 0, weight = 2, all = 0;
    for (int r = 0; r < size; r++) {
        all += weight;
        weight *= r < size - 1 ? 3 : 1;
    }
    for (int r = size - 1; r > rank; r--)
        weight /= 3;
    const long us = (long)(2.0 * STEP_US * (mended ? 1.0 / size : weight / all));
    for (int step = 0; step < STEPS; step++) {
        apply_stencil(us);
        MPI_Sendrecv(&halo, 1, MPI_DOUBLE, (rank + 1) % size, 0, &got, 1, MPI_DOUBLE,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    sum_of_all(got);
}

/* Nearly all atoms are in the domain of rank 0. */
PLACE pair_forces(long atoms)
{
    compute_us(atoms);
}

static void empty_block(void)
{
    const long all = 2L * STEP_US, few = all / size / 10;
    for (int step = 0; step < STEPS; step++) {
        pair_forces(mended ? all / size : rank == 0 ? all - few * (size - 1) : few);
        sum_of_all(1);
    }
}

/* The root makes a table before each broadcast; in the twin each rank makes a part of it. */
PLACE build_table(long us)
{
    compute_us(us);
}

static void late_root(void)
{
    enum { COUNT = 1024, TABLE_US = 12000 };
    static double table[COUNT], all[64 * COUNT];
    for (int step = 0; step < STEPS; step++) {
        if (mended) {
            build_table(TABLE_US / size);
            MPI_Allgather(table, COUNT / size, MPI_DOUBLE, all, COUNT / size, MPI_DOUBLE,
                          MPI_COMM_WORLD);
        } else {
            if (rank == 0)
                build_table(TABLE_US);
            MPI_Bcast(table, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        }
        compute_us(STEP_US);
    }
}

/* Two functions call the same arithmetic; one of them does so on the last rank only. */
__attribute__((noinline)) static void potential(long us)
{
    compute_us(us);
}

PLACE crowded_cells(long us)
{
    for (int part = 0; part < 10; part++)
        potential(us / 10);
    kept += 1;
}

PLACE usual_cells(long us)
{
    for (int part = 0; part < 10; part++)
        potential(us / 10);
    kept += 1;
}

static void shared_leaf(void)
{
    for (int step = 0; step < STEPS; step++) {
        usual_cells(STEP_US / 2 * 2 / size);
        if (mended)
            crowded_cells(STEP_US / size);
        else if (rank == size - 1)
            crowded_cells(STEP_US);
        sum_of_all(1);
    }
}

/* In the upper row, a communicator of its own, the last rank has most of the work until all meet.
 */
PLACE row_solver(MPI_Comm row, long us)
{
    for (int part = 0; part < 4; part++) {
        double mine = 1, sum;
        compute_us(us / 4);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
    }
}

static void rows(void)
{
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &row);
    const long all = 2L * STEP_US, light = all / 4 / (size > 1 ? size - 1 : 1);
    for (int step = 0; step < STEPS; step++) {
        row_solver(row, mended ? all / size : rank == size - 1 ? all * 3 / 4 : light);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&row);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"fixed", fixed},         {"halves", halves},
                                            {"gradient", gradient},   {"empty_block", empty_block},
                                            {"late_root", late_root}, {"shared_leaf", shared_leaf},
                                            {"rows", rows},           {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
