/* Zoo: a flame in a burner (../zoo.h, score.py).
 *
 * zoo: guarded_cells kernel rank any at burn_guarded
 * Each of 6 million cells (all ranks) is burnt behind a sigsetjmp that keeps the mask of signals,
 * in case its sub-steps fail: a system call for each; the twin guards a whole step.
 *
 * zoo: drained blocked+uneven rank any at drain_output|burn_cells|drained
 * A thread of the last rank hands the output of each of 60 steps to a store that takes 16 ms, and
 * the rank waits for it. Its cells were given to others for that, so with two ranks it burns 20 of
 * 200 and waits for 16 ms where the other burns 180, 18 ms. Either alone gains nothing or little;
 * in the twin nobody waits for the store and both burn 100.
 *
 * zoo: whole_volume bandwidth rank any at send_heat|receive_heat two_programs
 * The gas, all ranks but the last, sends its whole volume, 64 MiB, to the wall, another program, in
 * each of 60 steps, which uses the 32 kB that touch it; the twin sends these. Gas and wall have the
 * same work for a rank.
 */
#include "zoo.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>

enum { SPECIES = 12 };

static double rates[SPECIES];

/* So many sub-steps of one cell: every kind of molecule with the next. */
__attribute__((always_inline)) static inline double burn(double heat, int substeps)
{
    double part[SPECIES];
    for (int kind = 0; kind < SPECIES; kind++)
        part[kind] = 1.0 / (kind + 2);
    for (int substep = 0; substep < substeps; substep++)
        for (int kind = 0; kind < SPECIES; kind++) {
            const int other = kind < SPECIES - 1 ? kind + 1 : 0;
            const double burnt = rates[kind] * part[kind] * part[other];
            part[kind] -= burnt;
            part[other] += burnt;
            heat += 1e-6 * burnt;
        }
    return heat;
}

/* Whoever fails is done again in smaller steps. */
static sigjmp_buf cell_failed;

static void leave_cell(int number)
{
    siglongjmp(cell_failed, number);
}

PLACE burn_guarded(double *heat, int cells, bool each)
{
    volatile int at = 0;
    if (!each && sigsetjmp(cell_failed, 1) != 0)
        heat[at++] = 0;
    while (at < cells) {
        if (each && sigsetjmp(cell_failed, 1) != 0)
            heat[at] = burn(0, 40);
        else
            heat[at] = burn(heat[at], 4);
        at++;
    }
}

static void guarded_cells(void)
{
    enum { CELLS = 6000000, STEPS = 40 };
    const int cells = CELLS / STEPS / size;
    double *heat = calloc((size_t)cells, sizeof *heat);
    signal(SIGFPE, leave_cell);
    for (int step = 0; step < STEPS; step++) {
        burn_guarded(heat, cells, !mended);
        sum_of_all(heat[0]);
    }
    free(heat);
}

/* Each of about 0.1 ms. */
PLACE burn_cells(int cells)
{
    for (int cell = 0; cell < cells; cell++)
        kept = burn(kept, 1600);
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int written, stored;
} store = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void *store_output(void *steps)
{
    const struct timespec far_away = {0, 16000000};
    pthread_mutex_lock(&store.lock);
    while (store.stored < *(const int *)steps) {
        while (store.written == store.stored)
            pthread_cond_wait(&store.changed, &store.lock);
        pthread_mutex_unlock(&store.lock);
        if (!mended)
            nanosleep(&far_away, NULL);
        pthread_mutex_lock(&store.lock);
        store.stored++;
        pthread_cond_signal(&store.changed);
    }
    pthread_mutex_unlock(&store.lock);
    return NULL;
}

PLACE drain_output(void)
{
    pthread_mutex_lock(&store.lock);
    store.written++;
    pthread_cond_signal(&store.changed);
    while (!mended && store.stored < store.written)
        pthread_cond_wait(&store.changed, &store.lock);
    pthread_mutex_unlock(&store.lock);
}

PLACE drained(void)
{
    enum { CELLS = 200 };
    int steps = 60, cells = CELLS / size;
    const bool stores = rank == size - 1;
    pthread_t thread;
    if (!mended)
        cells = stores ? CELLS / size / 5 : (CELLS - CELLS / size / 5) / (size - 1);
    if (stores && pthread_create(&thread, NULL, store_output, &steps) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < steps; step++) {
        burn_cells(cells);
        if (stores)
            drain_output();
        sum_of_all(kept);
    }
    if (stores)
        pthread_join(thread, NULL);
}

enum { VOLUME = 8 << 20, FACE = 4096 };

PLACE send_heat(double *heat, int count, double *wall, MPI_Comm both)
{
    MPI_Request request;
    MPI_Isend(heat, count, MPI_DOUBLE, 0, 3, both, &request);
    MPI_Recv(wall, FACE, MPI_DOUBLE, 0, 4, both, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int at = 0; at < FACE; at++)
        heat[at] += 0.01 * (wall[at] - heat[at]);
}

PLACE receive_heat(double *heat, int count, double *wall, MPI_Comm both)
{
    for (int gas = 0; gas < size - 1; gas++) {
        MPI_Recv(heat, count, MPI_DOUBLE, gas, 3, both, MPI_STATUS_IGNORE);
        for (int at = 0; at < FACE; at++)
            wall[at] += 0.01 * (heat[at] - wall[at]);
    }
    for (int gas = 0; gas < size - 1; gas++)
        MPI_Send(wall, FACE, MPI_DOUBLE, gas, 4, both);
}

static void whole_volume(void)
{
    const bool is_wall = rank == size - 1;
    const int volume = VOLUME / (size > 1 ? size - 1 : 1), count = mended ? FACE : volume;
    double *heat = malloc((size_t)volume * sizeof *heat), wall[FACE] = {0};
    MPI_Comm alike, both;
    MPI_Comm_split(MPI_COMM_WORLD, is_wall, rank, &alike);
    MPI_Intercomm_create(alike, 0, MPI_COMM_WORLD, is_wall ? 0 : size - 1, 5, &both);
    for (int at = 0; at < volume; at++)
        heat[at] = 1;
    for (int step = 0; step < 60; step++) {
        burn_cells(270 / size);
        heat[step] += kept;
        (is_wall ? receive_heat : send_heat)(heat, count, wall, both);
    }
    free(heat);
    MPI_Comm_free(&both);
    MPI_Comm_free(&alike);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"guarded_cells", guarded_cells},
                                            {"drained", drained},
                                            {"whole_volume", whole_volume},
                                            {NULL, NULL}};
    for (int kind = 0; kind < SPECIES; kind++)
        rates[kind] = 1e-3 * (kind + 1);
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
