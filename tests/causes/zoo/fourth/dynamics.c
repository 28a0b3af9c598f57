/* Zoo: molecules in half of the box, and their threads (../zoo.h, score.py). The twins: all threads
 * bin the atoms, cells are dealt out as threads come, the box is cut where the atoms are.
 *
 * zoo: binning threads rank 0 at bin_atoms threads
 * zoo: empty_cells threads rank 0 at pair_cells threads
 * zoo: langevin healthy rank any threads
 * zoo: half_box uneven rank last at push_atoms
 */
#include "zoo.h"
#include <omp.h>

enum { STEPS = 40, ATOMS = 24000, CELLS = 96 };

static double place_of[ATOMS], force_on[ATOMS];

/* Nobody helps: it stands before the parallel loop. */
PLACE bin_atoms(int *bin)
{
    if (mended) {
#pragma omp parallel for schedule(static)
        for (int atom = 0; atom < ATOMS; atom++) {
            compute_us(1);
            bin[atom] = atom % CELLS;
        }
        return;
    }
    for (int atom = 0; atom < ATOMS; atom++) {
        compute_us(1);
        bin[atom] = atom % CELLS;
    }
}

static void even_forces(void)
{
#pragma omp parallel for schedule(static)
    for (int atom = 0; atom < ATOMS; atom++) {
        compute_us(1);
        force_on[atom] += place_of[atom];
    }
}

static void binning(void)
{
    static int bin[ATOMS];
    for (int step = 0; step < STEPS; step++) {
        bin_atoms(bin);
        even_forces();
        sum_of_all(bin[0]);
    }
}

/* The first cells are full, the last ones empty. */
static void pairs_of(int cell)
{
    compute_us(cell < CELLS / 2 ? 700 : 30);
}

PLACE pair_cells(void)
{
    if (mended) {
#pragma omp parallel for schedule(dynamic)
        for (int cell = 0; cell < CELLS; cell++)
            pairs_of(cell);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int cell = 0; cell < CELLS; cell++)
        pairs_of(cell);
}

static void empty_cells(void)
{
    for (int step = 0; step < STEPS; step++) {
        pair_cells();
        sum_of_all(1);
    }
}

/* Noise and friction are even: nothing is to be gained. */
static void langevin(void)
{
    for (int step = 0; step < STEPS; step++) {
        even_forces();
        even_forces();
        sum_of_all(force_on[0]);
    }
}

PLACE push_atoms(int atoms)
{
    for (int atom = 0; atom < atoms; atom++) {
        double along = place_of[atom % ATOMS];
        for (int term = 0; term < 120; term++)
            along = along * 0.7 + 0.1 * term;
        force_on[atom % ATOMS] = along;
    }
}

/* All atoms are in the upper part of the box, that of the last rank. */
static void half_box(void)
{
    double slab[64] = {0};
    const int atoms = mended ? 2 * ATOMS / size : rank == size - 1 ? 2 * ATOMS : 0;
    for (int step = 0; step < 160; step++) {
        push_atoms(atoms);
        MPI_Sendrecv_replace(slab, 64, MPI_DOUBLE, (rank + 1) % size, 3, (rank + size - 1) % size,
                             3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"binning", binning},
                                            {"empty_cells", empty_cells},
                                            {"langevin", langevin},
                                            {"half_box", half_box},
                                            {NULL, NULL}};
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
    return run_case(count, words, cases);
}
