/* Zoo: a fire that eats its way through a landscape (../zoo.h, score.py).
 *
 * zoo: static_maps bandwidth rank any at share_maps
 * Rank 0 sends the maps of fuel and slope, 32 MiB, to all ranks in each of 80 steps, together with
 * the wind, though only the wind has changed; the twin sends the maps once.
 *
 * zoo: embers latency rank any at throw_ember
 * An ember that lands in the next rank's cells, 20000 of all ranks in each of 100 steps, has a lock
 * of the window, 8 bytes and an unlock for itself; the twin adds up what lands where and hands it
 * over once in a step.
 *
 * zoo: growing_front healthy
 * The front is a circle that grows, so the last step takes 100 times as long as the first one; each
 * rank has a sector of it, and all sectors are as wide.
 */
#include "zoo.h"

enum { MAP = 1 << 21, LANDINGS = 1024 };

static double wind = 0.1;

/* Values from 0 to 1. */
static double *new_map(int count, int period)
{
    double *map = malloc((size_t)count * sizeof *map);
    if (map == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int at = 0; at < count; at++)
        map[at] = (double)(at % period) / period;
    return map;
}

/* Cells 1 to count - 2. */
PLACE spread_fire(double *heat, const double *fuel, const double *slope, int count)
{
    for (int at = 1; at < count - 1; at++) {
        const double come = 0.5 * (heat[at - 1] + heat[at + 1]) * (0.9 + wind * slope[at]);
        heat[at] += 0.2 * (fuel[at] * come - heat[at]) + 1e-3;
    }
}

PLACE share_maps(double *fuel, double *slope, int count)
{
    MPI_Bcast(fuel, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(slope, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void static_maps(void)
{
    enum { STEPS = 80 };
    const int count = MAP / size;
    double *fuel = new_map(MAP, 89), *slope = new_map(MAP, 97), *heat = new_map(count, 83);
    for (int step = 0; step < STEPS; step++) {
        if (step == 0 || !mended)
            share_maps(fuel, slope, MAP);
        MPI_Bcast(&wind, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        spread_fire(heat, fuel + rank * count, slope + rank * count, count);
        wind = 0.1 + 1e-6 * heat[step];
    }
    sum_of_all(heat[1]);
    free(fuel);
    free(slope);
    free(heat);
}

/* Up, and down again. -> where it lands */
PLACE fly_ember(unsigned *state, int *landing)
{
    double high = 0, speed;
    *state = *state * 1664525 + 1013904223;
    speed = 1.0 + 1e-9 * (*state >> 8);
    for (int moment = 0; moment < 250; moment++) {
        speed = 0.99 * speed - 0.01;
        high = 0.999 * high + speed + wind;
    }
    *landing = (int)((*state >> 12) + (high > 0)) % LANDINGS;
}

PLACE throw_ember(MPI_Win window, int landing)
{
    static const double one = 1;
    const int next = (rank + 1) % size;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
    MPI_Accumulate(&one, 1, MPI_DOUBLE, next, landing, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock(next, window);
}

/* What was added up, once in a step. */
PLACE throw_embers(MPI_Win window, const double *thrown)
{
    const int next = (rank + 1) % size;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
    MPI_Accumulate(thrown, LANDINGS, MPI_DOUBLE, next, 0, LANDINGS, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock(next, window);
}

static void embers(void)
{
    enum { EMBERS = 20000, STEPS = 100 };
    double *landed, thrown[LANDINGS];
    unsigned state = 2463534242U + (unsigned)rank * 7919;
    MPI_Win window;
    MPI_Win_allocate(sizeof thrown, sizeof *thrown, MPI_INFO_NULL, MPI_COMM_WORLD, &landed,
                     &window);
    memset(landed, 0, sizeof thrown);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        memset(thrown, 0, sizeof thrown);
        for (int ember = 0; ember < EMBERS / size; ember++) {
            int landing;
            fly_ember(&state, &landing);
            thrown[landing] += 1;
            if (!mended)
                throw_ember(window, landing);
        }
        if (mended)
            throw_embers(window, thrown);
        sum_of_all(thrown[0]);
    }
    MPI_Win_free(&window);
}

PLACE burn_front(double *heat, int cells)
{
    for (int pass = 0; pass < 8; pass++)
        for (int at = 1; at <= cells; at++)
            heat[at] = 0.5 * heat[at] + 0.3 * heat[at - 1] + 0.1 + wind * 1e-3;
}

PLACE meet_neighbours(double *heat, int cells)
{
    const int before = (rank + size - 1) % size, behind = (rank + 1) % size;
    MPI_Sendrecv(&heat[cells], 1, MPI_DOUBLE, behind, 1, &heat[0], 1, MPI_DOUBLE, before, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void growing_front(void)
{
    enum { STEPS = 100, WIDER = 12000 };
    double *heat = new_map(MAP, 83);
    for (int step = 1; step <= STEPS; step++) {
        burn_front(heat, step * (WIDER / size));
        meet_neighbours(heat, step * (WIDER / size));
    }
    sum_of_all(heat[1]);
    free(heat);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"static_maps", static_maps},
                                            {"embers", embers},
                                            {"growing_front", growing_front},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
