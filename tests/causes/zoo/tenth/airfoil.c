/* Zoo: air that flows around a wing, on cells without a grid (../zoo.h, score.py).
 *
 * zoo: shuffled_cells uneven rank last at add_flux|gather_fluxes
 * All ranks have as many cells, 4 million in all, and do the same with them. But the last rank's
 * were refined again and again and are numbered in any order, so each face finds both of its cells
 * far away in memory; in the twin cells that are neighbours have near numbers on each rank.
 *
 * zoo: newest_edges in_turn rank any at solve_block|newest_edges
 * A block is solved with the newest edge of the block before, one rank after the other in each of
 * 60 iterations, at the end of which all ranks sum up the residual. The twin's ranks have two
 * blocks of half the size: all solve their first ones, and then all the second ones.
 */
#include "zoo.h"

enum { ALL_CELLS = 4 << 20, WIDTH = 64 };

struct cell {
    double mass, speed, energy, change;
};

/* A number below count, a power of two, for each number below it. */
static inline unsigned shuffled(unsigned number, unsigned count)
{
    number = number * 0x9e3779b1U & (count - 1);
    number ^= number >> 7;
    number = number * 0x85ebca6bU & (count - 1);
    return number ^ number >> 9;
}

static unsigned *number_cells(unsigned count, bool in_order)
{
    unsigned *number = malloc(count * sizeof *number);
    for (unsigned at = 0; number != NULL && at < count; at++)
        number[at] = in_order ? at : shuffled(at, count);
    return number;
}

PLACE add_flux(struct cell *left, struct cell *right)
{
    double between = 0.5 * (left->energy + right->energy);
    for (int time = 0; time < 12; time++)
        between = 0.5 * (between + left->energy * right->energy / between);
    const double flux = 1e-3 * (left->speed * left->mass - right->speed * right->mass) / between;
    left->change -= flux;
    right->change += flux;
}

/* Faces to the next cell, and to that of the next row. */
PLACE gather_fluxes(struct cell *cells, const unsigned *number, unsigned count)
{
    for (unsigned at = 0; at < count - WIDTH; at++) {
        add_flux(&cells[number[at]], &cells[number[at + 1]]);
        add_flux(&cells[number[at]], &cells[number[at + WIDTH]]);
    }
}

PLACE move_on(struct cell *cells, unsigned count)
{
    for (unsigned at = 0; at < count; at++) {
        cells[at].speed += cells[at].change;
        cells[at].energy = 1 + 0.5 * cells[at].speed * cells[at].speed;
        cells[at].change = 0;
    }
}

static void shuffled_cells(void)
{
    unsigned count = ALL_CELLS;
    while (count > (unsigned)(ALL_CELLS / size))
        count /= 2;
    struct cell *cells = malloc(count * sizeof *cells);
    unsigned *number = number_cells(count, mended || rank < size - 1);
    if (cells == NULL || number == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (unsigned at = 0; at < count; at++)
        cells[at] = (struct cell){1, 0.1 + 1e-6 * (at % 1000), 1, 0};
    for (int step = 0; step < 6; step++) {
        gather_fluxes(cells, number, count);
        move_on(cells, count);
        sum_of_all(cells[0].speed);
    }
    free(cells);
    free(number);
}

enum { VALUES = 40000 };

static double pressure[VALUES + 2];

PLACE solve_block(int first, int count)
{
    for (int sweep = 0; sweep < 90; sweep++)
        for (int at = first; at < first + count; at++)
            pressure[at] += 0.9 * (0.5 * (pressure[at - 1] + pressure[at + 1]) - pressure[at]);
}

/* The edge on one side goes to the rank on the other side; who has none gets nothing. */
PLACE send_edge(int edge, int to)
{
    if (to >= 0 && to < size)
        MPI_Send(&pressure[edge], 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
}

PLACE take_edge(int ghost, int from)
{
    if (from >= 0 && from < size)
        MPI_Recv(&pressure[ghost], 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

PLACE newest_edges(void)
{
    const int count = VALUES / size, half = count / 2;
    for (int at = 0; at < VALUES + 2; at++)
        pressure[at] = 1 + at % 7;
    for (int iteration = 0; iteration < 60; iteration++) {
        if (mended) {
            solve_block(1, half);
            send_edge(1, rank - 1);
            take_edge(count + 1, rank + 1);
            solve_block(half + 1, count - half);
            send_edge(count, rank + 1);
            take_edge(0, rank - 1);
        } else {
            take_edge(0, rank - 1);
            solve_block(1, count);
            send_edge(count, rank + 1);
            send_edge(1, rank - 1);
            take_edge(count + 1, rank + 1);
        }
        sum_of_all(pressure[1] - pressure[0]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"shuffled_cells", shuffled_cells}, {"newest_edges", newest_edges}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
