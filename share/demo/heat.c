/* Heat in a square plate that is kept at 0 on its edge: the demo program of mprof.
 *
 * The plate is cut into strips of rows, one per rank. Each step, a rank swaps its outermost rows
 * with its neighbours and moves its points on by the explicit five-point scheme; every tenth step
 * all ranks agree on the hottest point. The plate begins with one sine wave in each direction. That
 * shape stays and shrinks by the same factor in each step, which gives the exact answer to check
 * the result against.
 *
 *   mpicc -O2 heat.c -o heat -lm && mpirun -n 4 ./heat [--imbalance] [--size N] [--steps N]
 *
 * --imbalance lets one rank do the arithmetic of each step four times, as if its part of the plate
 * were harder to compute. The result is the same.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMBALANCE_FACTOR = 4, STEPS_PER_CHECK = 10 };

static const double pi = 3.14159265358979323846;

struct options {
    int size; /* points in each direction, without the edge */
    int steps;
    int imbalance;
};

/* The rows of one rank, with one row more on either side: the neighbour's, or the edge. */
struct strip {
    int rows;
    int columns;
    int first_row;
    int above; /* ranks, or MPI_PROC_NULL */
    int below;
    int repeat; /* how often the arithmetic of a step is done */
    double *now;
    double *next;
};

static double *row_of(const struct strip *strip, double *values, int row)
{
    return values + (size_t)(row + 1) * (size_t)(strip->columns + 2);
}

static void swap_edges(const struct strip *strip)
{
    MPI_Request requests[4];
    int count = strip->columns + 2;
    double *values = strip->now;
    MPI_Irecv(row_of(strip, values, -1), count, MPI_DOUBLE, strip->above, 0, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(row_of(strip, values, strip->rows), count, MPI_DOUBLE, strip->below, 1,
              MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row_of(strip, values, 0), count, MPI_DOUBLE, strip->above, 1, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(row_of(strip, values, strip->rows - 1), count, MPI_DOUBLE, strip->below, 0,
              MPI_COMM_WORLD, &requests[3]);
    MPI_Status statuses[4];
    MPI_Waitall(4, requests, statuses);
}

static const double diffusion = 0.2; /* time step / spacing^2; stable up to 0.25 */

/* Moves one row on. A function of its own that is not inlined, so that the compiler cannot see that
 * it is repeated. */
__attribute__((noinline)) static void step_row(const double *north, const double *here,
                                               const double *south, double *next, int columns)
{
    for (int column = 1; column <= columns; column++) {
        double around = north[column] + south[column] + here[column - 1] + here[column + 1];
        next[column] = here[column] + diffusion * (around - 4.0 * here[column]);
    }
}

static void step(struct strip *strip)
{
    for (int repeat = 0; repeat < strip->repeat; repeat++) {
        for (int row = 0; row < strip->rows; row++) {
            step_row(row_of(strip, strip->now, row - 1), row_of(strip, strip->now, row),
                     row_of(strip, strip->now, row + 1), row_of(strip, strip->next, row),
                     strip->columns);
        }
    }
    double *swap = strip->now;
    strip->now = strip->next;
    strip->next = swap;
}

static double hottest_point(const struct strip *strip)
{
    double own = 0.0;
    double all = 0.0;
    for (int row = 0; row < strip->rows; row++) {
        const double *values = row_of(strip, strip->now, row);
        for (int column = 1; column <= strip->columns; column++) {
            own = fmax(own, values[column]);
        }
    }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* The temperature at a point of this strip when the wave's height is `height`. */
static double wave(const struct strip *strip, int row, int column, double height)
{
    double spacing = 1.0 / (strip->columns + 1);
    return height * sin(pi * (strip->first_row + row + 1) * spacing) * sin(pi * column * spacing);
}

static struct strip make_strip(const struct options *options)
{
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    struct strip strip = {.columns = options->size, .repeat = 1};
    int begin = (int)((long long)options->size * rank / ranks);
    int end = (int)((long long)options->size * (rank + 1) / ranks);
    strip.rows = end - begin;
    strip.first_row = begin;
    strip.above = rank == 0 ? MPI_PROC_NULL : rank - 1;
    strip.below = rank == ranks - 1 ? MPI_PROC_NULL : rank + 1;
    if (options->imbalance && rank == ranks / 2) {
        strip.repeat = IMBALANCE_FACTOR;
    }

    size_t points = (size_t)(strip.rows + 2) * (size_t)(strip.columns + 2);
    strip.now = calloc(points, sizeof(double));
    strip.next = calloc(points, sizeof(double));
    if (strip.now == NULL || strip.next == NULL) {
        fprintf(stderr, "heat: rank %d has no memory for %zu points\n", rank, 2 * points);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int row = 0; row < strip.rows; row++) {
        for (int column = 1; column <= strip.columns; column++) {
            row_of(&strip, strip.now, row)[column] = wave(&strip, row, column, 1.0);
        }
    }
    return strip;
}

/* The largest difference from the exact answer, on rank 0. */
static double largest_error(const struct strip *strip, int steps)
{
    double half_wave = sin(pi / 2.0 / (strip->columns + 1));
    double height = pow(1.0 - 8.0 * diffusion * half_wave * half_wave, steps);
    double own = 0.0;
    double all = 0.0;
    for (int row = 0; row < strip->rows; row++) {
        const double *values = row_of(strip, strip->now, row);
        for (int column = 1; column <= strip->columns; column++) {
            own = fmax(own, fabs(values[column] - wave(strip, row, column, height)));
        }
    }
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return all;
}

static struct options read_options(int argc, char **argv)
{
    struct options options = {.size = 1200, .steps = 5000};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--imbalance") == 0) {
            options.imbalance = 1;
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            options.size = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
            options.steps = atoi(argv[++i]);
        } else {
            options.size = 0;
        }
    }
    return options;
}

int main(int argc, char **argv)
{
    int rank = 0;
    int ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    struct options options = {0};
    if (rank == 0) {
        options = read_options(argc, argv);
    }
    MPI_Bcast(&options, (int)sizeof options, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (options.size < ranks || options.steps < 0) {
        if (rank == 0) {
            fprintf(
                stderr,
                "usage: heat [--imbalance] [--size N] [--steps N]   (at least one row per rank)\n");
        }
        MPI_Finalize();
        return 2;
    }

    struct strip strip = make_strip(&options);
    double begin = MPI_Wtime();
    double hottest = 1.0;
    for (int done = 1; done <= options.steps; done++) {
        swap_edges(&strip);
        step(&strip);
        if (done % STEPS_PER_CHECK == 0) {
            hottest = hottest_point(&strip);
        }
    }
    double seconds = MPI_Wtime() - begin;

    double error = largest_error(&strip, options.steps);
    int correct = error < 1e-10;
    MPI_Bcast(&correct, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("heat: %d x %d points, %d steps on %d ranks in %.2f s; hottest point %.6f; error "
               "%.1e: %s\n",
               options.size, options.size, options.steps, ranks, seconds, hottest, error,
               correct ? "correct" : "WRONG");
    }
    free(strip.now);
    free(strip.next);
    MPI_Finalize();
    return correct ? 0 : 1;
}
