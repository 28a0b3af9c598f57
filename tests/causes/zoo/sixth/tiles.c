/* Zoo: image tiles, and the linear algebra that fits them together (../zoo.h, score.py).
 *
 * zoo: lone_thread threads rank 0 at fit_tile threads
 * A team of two, but all of the fit stands in "single": one thread works and one waits at its end;
 * the twin shares the rows, and the fit, nearly all of the run, takes half the time.
 *
 * zoo: locked_tiles threads rank 0 at stack_tiles threads
 * A tile is resampled within "critical", 19 of 20 parts of the work, so the team's threads work one
 * after another; the twin's section has the sum alone, and the run takes about half the time.
 *
 * zoo: dot_products latency rank any at orthogonalise
 * A sum of 8 bytes over the ranks of a grid's row for each vector before, 120000 in all, of 2 us
 * and more; the twin has one sum of 100 values for each new vector, 1200 in all.
 *
 * zoo: substitution in_turn rank any at solve_rows
 * A rank's rows wait for those of the rank before, with all 16 right sides at once, so ranks work
 * one after another; the twin sends each side on as it is done, and of two ranks a sweep takes
 * 17/32 of the time.
 *
 * zoo: settling blocked rank last at read_tile
 * The last rank waits 15 ms after each of 60 tiles for a scanner that is ready, 0.9 s, and the
 * others wait for the tile; the twin reads on.
 */
#include "zoo.h"
#include <omp.h>
#include <sys/select.h>

enum { TILES = 60, TEAM = 2 };

/* Arithmetic of a thread by itself: compute_us without what all threads share. */
__attribute__((always_inline)) static inline double resample(long us, double value)
{
    for (long i = 0; i < us * LOOPS_PER_US; i++) {
        value = value * 0.999 + 1.0;
        __asm__ volatile("" : "+x"(value));
    }
    return value;
}

PLACE fit_tile(double *rows, int count)
{
#pragma omp parallel num_threads(TEAM)
    {
        if (mended) {
#pragma omp for
            for (int row = 0; row < count; row++)
                rows[row] = resample(300, rows[row]);
        } else {
#pragma omp single
            for (int row = 0; row < count; row++)
                rows[row] = resample(300, rows[row]);
        }
    }
}

static void lone_thread(void)
{
    static double rows[100];
    for (int tile = 0; tile < TILES; tile++) {
        fit_tile(rows, 100);
        sum_of_all(rows[0]);
    }
}

PLACE stack_tiles(double *stack, int tiles)
{
#pragma omp parallel for schedule(static) num_threads(TEAM)
    for (int tile = 0; tile < tiles; tile++) {
        double value = resample(100, tile);
        if (mended)
            value = resample(1900, value);
#pragma omp critical
        *stack += mended ? value : resample(1900, value);
    }
}

static void locked_tiles(void)
{
    double stack = 0;
    for (int field = 0; field < TILES / 6; field++) {
        stack_tiles(&stack, 40);
        sum_of_all(stack);
    }
}

/* Gram-Schmidt: the new vector loses its part along each of those before. */
PLACE orthogonalise(MPI_Comm row, double *parts, int vectors)
{
    const int length = mended ? vectors : 1;
    for (int vector = 0; vector < vectors; vector += length)
        MPI_Allreduce(MPI_IN_PLACE, parts + vector, length, MPI_DOUBLE, MPI_SUM, row);
}

static void dot_products(void)
{
    enum { VECTORS = 100, NEW = 1200 };
    static double parts[VECTORS];
    int shape[2] = {0, 0};
    const int round[2] = {0, 0}, remain[2] = {1, 0};
    MPI_Comm grid, row;
    MPI_Dims_create(size, 2, shape);
    MPI_Cart_create(MPI_COMM_WORLD, 2, shape, round, 0, &grid);
    MPI_Cart_sub(grid, remain, &row);
    for (int vector = 0; vector < NEW; vector++) {
        compute_us(2000 / size);
        for (int at = 0; at < VECTORS; at++)
            parts[at] = rank + at;
        orthogonalise(row, parts, VECTORS);
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

PLACE solve_rows(double *sides, int count, long us)
{
    const int length = mended ? 1 : count;
    for (int side = 0; side < count; side += length) {
        if (rank > 0)
            MPI_Recv(sides + side, length, MPI_DOUBLE, rank - 1, side, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        compute_us(us * length / size);
        if (rank < size - 1)
            MPI_Send(sides + side, length, MPI_DOUBLE, rank + 1, side, MPI_COMM_WORLD);
    }
}

static void substitution(void)
{
    static double sides[16];
    for (int sweep = 0; sweep < 30; sweep++) {
        solve_rows(sides, 16, 3500);
        sum_of_all(sides[0]);
    }
}

/* The scanner of ten years ago was slow to settle. */
PLACE read_tile(long us)
{
    struct timeval pause = {0, 15000};
    compute_us(us / size);
    if (!mended && rank == size - 1)
        select(0, NULL, NULL, NULL, &pause);
}

static void settling(void)
{
    static double tile[4096], mosaic[4096];
    for (int number = 0; number < TILES; number++) {
        read_tile(30000);
        MPI_Reduce(tile, mosaic, 4096, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(mosaic, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"lone_thread", lone_thread},   {"locked_tiles", locked_tiles},
        {"dot_products", dot_products}, {"substitution", substitution},
        {"settling", settling},         {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
