/* Zoo: a plasma of particles in cells (../zoo.h, score.py). Nothing is to be gained here.
 *
 * zoo: polled_halo healthy
 * Moments of the edge go to the neighbours in a ring by one MPI_Ineighbor_alltoallv, and a stop is
 * looked for by MPI_Iprobe. Both are asked for every 25 us while the particles are pushed, some
 * hundred times in a step (2 ranks), so there is nothing left to wait for.
 *
 * zoo: two_species healthy
 * Of their sub-cycles the lower ranks do three quarters in the first half of a step and the upper
 * ones in the second half, and what the upper ones send is ten times as large: all have the same
 * work before they meet at the end of a step.
 *
 * zoo: many_dumps healthy
 * Each of 60 steps writes 4 MiB of all ranks by MPI-IO and reads them back, and each rank writes
 * 500 lines through a buffer: 480 MiB in all, which take about a twentieth of the run.
 *
 * zoo: two_fluids healthy two_programs
 * Electrons are one program and ions, the last rank, another one. Each has as much work for a rank
 * as the other, and fields of the step before are under way meanwhile.
 */
#include "zoo.h"
#include <stddef.h>

enum { CELLS = 1024, PARTICLES = 20000, STEPS = 60, EDGE = 256 };

static double field[CELLS + 1], charge[CELLS + 1];
static double at_x[PARTICLES], speed[PARTICLES];

static void place_particles(void)
{
    for (int cell = 0; cell <= CELLS; cell++)
        field[cell] = 1e-3 * (cell % 13 - 6);
    for (int at = 0; at < PARTICLES; at++) {
        at_x[at] = at * 7919 % (CELLS * 16) / 16.0;
        speed[at] = at % 101 * 1e-3 - 0.05;
    }
}

/* A box that is periodic: whoever leaves it comes in again. */
__attribute__((always_inline)) static inline void push(int first, int end)
{
    for (int at = first; at < end; at++) {
        const int cell = (int)at_x[at];
        const double part = at_x[at] - cell;
        speed[at] += (1 - part) * field[cell] + part * field[cell + 1];
        speed[at] *= 0.999;
        at_x[at] += speed[at];
        if (at_x[at] < 0)
            at_x[at] += CELLS;
        else if (at_x[at] >= CELLS)
            at_x[at] -= CELLS;
        if (at_x[at] < 0 || at_x[at] >= CELLS)
            at_x[at] = 0;
        charge[(int)at_x[at]] += 1e-6;
    }
}

PLACE push_electrons(int count)
{
    for (; count > 0; count -= PARTICLES)
        push(0, count < PARTICLES ? count : PARTICLES);
}

/* Of pairs in the same cell. */
PLACE collide_ions(int count)
{
    for (int at = 0; at < count; at++) {
        double *a = &speed[at % (PARTICLES / 2)], *b = &speed[PARTICLES - 1 - at % (PARTICLES / 2)];
        const double mean = 0.5 * (*a + *b), apart = 0.5 * (*a - *b);
        const double turned = apart * (1 - apart * apart * 0.5);
        *a = mean + turned;
        *b = mean - turned;
    }
}

PLACE push_and_poll(int count, MPI_Request *halo)
{
    enum { SLICE = 5000 };
    for (int first = 0; first < count; first += SLICE) {
        int moved, stop;
        push(first % PARTICLES, first % PARTICLES + SLICE);
        MPI_Test(halo, &moved, MPI_STATUS_IGNORE);
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &stop, MPI_STATUS_IGNORE);
        if (stop)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void polled_halo(void)
{
    static double edge[2 * EDGE], beside[2 * EDGE];
    const int ends[2] = {(rank + size - 1) % size, (rank + 1) % size}, weights[2] = {1, 1};
    const int counts[2] = {EDGE, EDGE}, places[2] = {0, EDGE};
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ends, weights, 2, ends, weights,
                                   MPI_INFO_NULL, 0, &ring);
    for (int step = 0; step < STEPS; step++) {
        MPI_Request halo;
        memcpy(edge, charge, sizeof edge);
        MPI_Ineighbor_alltoallv(edge, counts, places, MPI_DOUBLE, beside, counts, places,
                                MPI_DOUBLE, ring, &halo);
        push_and_poll(7500000 / size, &halo);
        MPI_Wait(&halo, MPI_STATUS_IGNORE);
        field[0] += 1e-9 * beside[0];
    }
    sum_of_all(field[0]);
    MPI_Comm_free(&ring);
}

/* Each rank has a partner in the other half. */
static void two_species(void)
{
    enum { WORK = 2400000 };
    static double sent[10 * EDGE], got[10 * EDGE];
    const int half = size / 2, other = (rank + half) % size;
    const bool upper = rank >= half;
    const int heavy = WORK * 3 / 2 / size, light = WORK / 2 / size;
    for (int step = 0; step < STEPS; step++) {
        push_electrons(upper ? light : heavy);
        collide_ions(upper ? heavy : light);
        push_electrons(upper ? heavy : light);
        collide_ions(upper ? light : heavy);
        sent[0] = charge[0];
        MPI_Sendrecv(sent, upper ? 10 * EDGE : EDGE, MPI_DOUBLE, other, 1, got,
                     upper ? EDGE : 10 * EDGE, MPI_DOUBLE, other, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        field[0] += 1e-9 * got[0];
        sum_of_all(field[0]);
    }
}

PLACE dump_particles(MPI_File file, FILE *log, int step)
{
    static double all[1 << 18], back[1 << 18];
    const int count = (1 << 19) / (size < 2 ? 2 : size);
    const MPI_Offset from = (MPI_Offset)8 * ((MPI_Offset)(step % 4) * size + rank) * count;
    for (int line = 0; line < 500; line++)
        fprintf(log, "%d %d\n", step, line);
    memcpy(all, at_x, sizeof at_x);
    MPI_File_write_at(file, from, all, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, from, back, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    field[0] += 1e-12 * back[0];
}

static void many_dumps(void)
{
    char path[4096], log_path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/particles", folder);
    snprintf(log_path, sizeof log_path, "%s/log%d", folder, rank);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    FILE *log = fopen(log_path, "w");
    if (log == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        push_electrons(7500000 / size);
        dump_particles(file, log, step);
        sum_of_all(field[0]);
    }
    fclose(log);
    remove(log_path);
    MPI_File_close(&file);
}

static void start_fields(MPI_Comm fluids, bool are_ions, double *theirs, MPI_Request *requests)
{
    int others;
    MPI_Comm_remote_size(fluids, &others);
    requests[0] = requests[1] = MPI_REQUEST_NULL;
    if (are_ions || rank == 0) {
        MPI_Irecv(theirs, EDGE, MPI_DOUBLE, 0, 2, fluids, &requests[0]);
        MPI_Isend(charge, EDGE, MPI_DOUBLE, 0, 2, fluids, &requests[1]);
    }
}

/* Rank 0 of the electrons and the ions tell each other. */
static void two_fluids(void)
{
    const bool are_ions = rank == size - 1;
    double theirs[EDGE] = {0}, most = 0;
    MPI_Comm fluid, fluids;
    MPI_Comm_split(MPI_COMM_WORLD, are_ions, rank, &fluid);
    MPI_Intercomm_create(fluid, 0, MPI_COMM_WORLD, are_ions ? 0 : size - 1, 6, &fluids);
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[2];
        start_fields(fluids, are_ions, theirs, requests);
        push_electrons(7500000 / size);
        for (int at = 0; at < 2; at++)
            MPI_Wait(&requests[at], MPI_STATUS_IGNORE);
        MPI_Allreduce(&theirs[1], &most, 1, MPI_DOUBLE, MPI_MAX, fluid);
        field[1] += 1e-9 * most;
    }
    MPI_Comm_free(&fluids);
    MPI_Comm_free(&fluid);
    sum_of_all(field[1]);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"polled_halo", polled_halo},
                                            {"two_species", two_species},
                                            {"many_dumps", many_dumps},
                                            {"two_fluids", two_fluids},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    place_particles();
    return run_case(count, words, cases);
}
