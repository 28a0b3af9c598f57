/* Zoo: a lattice gauge theory (../zoo.h, score.py).
 *
 * zoo: plane_by_plane latency rank any at exchange_planes
 * The edge goes to both neighbours of a ring plane by plane, 96 bytes in each call of a
 * neighbourhood collective, 12000/size calls in each of 60 sweeps, of 1 us and more; the twin has
 * one call for all planes of a sweep.
 *
 * zoo: buddy_copy bandwidth rank any at copy_to_buddy
 * Each sweep a copy of a rank's whole state, 64 MiB of all ranks, goes to the memory of a buddy
 * rank, in case a node fails; the twin copies it every tenth sweep.
 *
 * zoo: rewritten_file ended rank last at read_boundary ends
 * The last rank has mapped a file that rank 0 writes anew, and shorter, at three quarters of the
 * run: its next read of the map is a bus error. The twin's rank 0 writes another file and renames
 * it.
 *
 * zoo: momentum_space healthy
 * Transposes over the rows and columns of a grid of ranks are under way while the batch before is
 * transformed; MPI_Test is called every few lines so that they move. They take less than a tenth
 * of the run, and what is left to wait for less than that.
 */
#include "zoo.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SWEEPS = 60, SITES = 2048, ALL_SITES = 1000000 };

static double links[SITES + 1][18], staples[SITES][18];

static void set_links(void)
{
    for (int site = 0; site <= SITES; site++)
        for (int part = 0; part < 18; part++)
            links[site][part] = (part % 8 == 0 ? 0.9 : 0.05) + (site + part) % 7 * 0.01;
}

/* Of two 3x3 complex matrices. */
static inline void multiply(const double *left, const double *right, double *product)
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            double real = 0, imaginary = 0;
            for (int k = 0; k < 3; k++) {
                const double *a = left + 2 * (3 * row + k), *b = right + 2 * (3 * k + column);
                real += a[0] * b[0] - a[1] * b[1];
                imaginary += a[0] * b[1] + a[1] * b[0];
            }
            product[2 * (3 * row + column)] = real;
            product[2 * (3 * row + column) + 1] = imaginary;
        }
}

/* The rank's part of a sweep. */
PLACE update_links(int sites)
{
    for (int at = 0; at < sites; at++) {
        const int site = at % SITES;
        multiply(links[site], links[site + 1], staples[site]);
        links[site][0] += 1e-9 * staples[site][17];
    }
}

PLACE measure_action(void)
{
    double action = 0;
    for (int site = 0; site < SITES; site++)
        action += 3 - staples[site][0] - staples[site][8] - staples[site][16];
    MPI_Allreduce(MPI_IN_PLACE, &action, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    kept = action;
}

PLACE exchange_planes(MPI_Comm ring, const double *edge, double *ghosts, int planes)
{
    enum { PLANE = 6 };
    const int together = mended ? planes : 1, values = together * PLANE;
    for (int plane = 0; plane < planes; plane += together) {
        const size_t at = (size_t)plane * 2 * PLANE;
        MPI_Neighbor_alltoall(edge + at, values, MPI_DOUBLE, ghosts + at, values, MPI_DOUBLE, ring);
    }
}

static void plane_by_plane(void)
{
    const int planes = 12000 / size;
    const int beside[2] = {(rank + size - 1) % size, (rank + 1) % size}, weights[2] = {1, 1};
    double *edge = calloc((size_t)planes * 12, sizeof *edge);
    double *ghosts = calloc((size_t)planes * 12, sizeof *ghosts);
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, beside, weights, 2, beside, weights,
                                   MPI_INFO_NULL, 0, &ring);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        update_links(ALL_SITES / size);
        edge[0] = links[0][0];
        exchange_planes(ring, edge, ghosts, planes);
        links[SITES][1] += 1e-9 * ghosts[0];
    }
    measure_action();
    MPI_Comm_free(&ring);
    free(edge);
    free(ghosts);
}

PLACE copy_to_buddy(const double *state, double *copy, int values)
{
    const int half = size / 2;
    MPI_Sendrecv(state, values, MPI_DOUBLE, (rank + half) % size, 1, copy, values, MPI_DOUBLE,
                 (rank + size - half) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void buddy_copy(void)
{
    const int values = (8 << 20) / size;
    double *state = malloc(8 * (size_t)values), *copy = malloc(8 * (size_t)values);
    for (int at = 0; at < values; at++)
        state[at] = copy[at] = at;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        update_links(ALL_SITES / size);
        state[sweep] = links[sweep][0];
        if (!mended || sweep % 10 == 9)
            copy_to_buddy(state, copy, values);
    }
    measure_action();
    free(state);
    free(copy);
}

static void write_boundary(const char *path, size_t bytes)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t at = 0; at < bytes; at++)
        fputc((int)(at % 100), file);
    fclose(file);
}

PLACE read_boundary(const volatile unsigned char *boundary, size_t bytes)
{
    double sum = 0;
    for (size_t at = 0; at < bytes; at += 64)
        sum += boundary[at];
    links[0][0] += 1e-12 * sum;
}

static void rewritten_file(void)
{
    const size_t bytes = 1 << 20;
    const bool bounds = rank == size - 1;
    const void *boundary = NULL;
    char path[4096], other[4200];
    snprintf(path, sizeof path, "%s/boundary", folder);
    snprintf(other, sizeof other, "%s.new", path);
    if (rank == 0)
        write_boundary(path, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    if (bounds) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        boundary = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (boundary == MAP_FAILED)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        update_links(ALL_SITES / size);
        if (bounds)
            read_boundary(boundary, bytes);
        if (rank == 0 && sweep == SWEEPS * 3 / 4) {
            write_boundary(mended ? other : path, 1000);
            if (mended)
                rename(other, path);
        }
        measure_action();
    }
    if (rank == 0)
        remove(path);
}

enum { LENGTH = 256, LINES = 640, BATCHES = 6 };

static double turns[LENGTH];

/* Radix 2, in place, without the last reordering. */
static inline void transform(double *line)
{
    for (int half = LENGTH / 2; half > 0; half /= 2)
        for (int first = 0; first < LENGTH; first += 2 * half)
            for (int k = 0; k < half; k++) {
                double *a = line + 2 * (first + k), *b = a + 2 * half;
                const double *turn = turns + k * (LENGTH / half / 2) * 2 % LENGTH;
                const double real = a[0] - b[0], imaginary = a[1] - b[1];
                a[0] = 0.70710678 * (a[0] + b[0]);
                a[1] = 0.70710678 * (a[1] + b[1]);
                b[0] = 0.70710678 * (real * turn[0] - imaginary * turn[1]);
                b[1] = 0.70710678 * (real * turn[1] + imaginary * turn[0]);
            }
}

PLACE transform_lines(double *lines, int count, MPI_Request *request)
{
    int moved;
    for (int line = 0; line < count; line++) {
        for (int field = 0; field < 12; field++)
            transform(lines + (size_t)line * 2 * LENGTH);
        if (line % 4 == 0)
            MPI_Test(request, &moved, MPI_STATUS_IGNORE);
    }
}

/* Transposes a batch within `ranks` while the one before is transformed. */
PLACE transform_batches(MPI_Comm ranks, double *batches[2], double *moving)
{
    const int lines = LINES / size;
    int parts;
    MPI_Comm_size(ranks, &parts);
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Request request;
        const int part = lines * 2 * LENGTH / parts;
        MPI_Ialltoall(batches[batch % 2], part, MPI_DOUBLE, moving, part, MPI_DOUBLE, ranks,
                      &request);
        transform_lines(batches[1 - batch % 2], lines, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void momentum_space(void)
{
    const size_t values = (size_t)LINES / size * 2 * LENGTH;
    const int round[2] = {0, 0}, rows_remain[2] = {1, 0}, columns_remain[2] = {0, 1};
    double *batches[2] = {malloc(8 * values), malloc(8 * values)}, *moving = malloc(8 * values);
    int shape[2] = {0, 0};
    MPI_Comm grid, rows, columns;
    MPI_Dims_create(size, 2, shape);
    MPI_Cart_create(MPI_COMM_WORLD, 2, shape, round, 1, &grid);
    MPI_Cart_sub(grid, rows_remain, &rows);
    MPI_Cart_sub(grid, columns_remain, &columns);
    for (int k = 0; k < LENGTH; k += 2) { /* not exactly turns, but as long */
        turns[k] = 1 - 2.0 * k * k / (LENGTH * LENGTH);
        turns[k + 1] = 0.5 * k / LENGTH;
    }
    for (size_t at = 0; at < values; at++)
        batches[0][at] = batches[1][at] = moving[at] = 1.0 / (1.0 + (double)at);
    for (int step = 0; step < 12; step++) {
        transform_batches(rows, batches, moving);
        transform_batches(columns, batches, moving);
    }
    sum_of_all(batches[0][0]);
    for (int at = 0; at < 2; at++)
        free(batches[at]);
    free(moving);
    MPI_Comm_free(&rows);
    MPI_Comm_free(&columns);
    MPI_Comm_free(&grid);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"plane_by_plane", plane_by_plane},
                                            {"buddy_copy", buddy_copy},
                                            {"rewritten_file", rewritten_file},
                                            {"momentum_space", momentum_space},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    set_links();
    return run_case(count, words, cases);
}
