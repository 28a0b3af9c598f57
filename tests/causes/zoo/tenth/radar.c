/* Zoo: what a radar has seen of rain is brought into a forecast (../zoo.h, score.py).
 *
 * zoo: quality_control uneven rank 0 at check_ray|check_rays
 * Rank 0 takes the echoes of birds and hills out of all 240 rays of a scan before it scatters them;
 * the others wait for it and then do as much work as it does with its own rays. The twin scatters
 * the rays first, and each rank checks its own.
 *
 * zoo: far_radar blocked+uneven rank any at await_scan|update_ray|far_radar
 * The last rank waits 15 ms for an answer of the radar in each of 60 steps. Rays were given to the
 * others for that: of two ranks it updates 24 of 240 and waits 15 ms, where the other updates 216,
 * 16 ms. Either alone gains little or nothing; in the twin nobody waits and both update 120.
 */
#include "zoo.h"
#include <poll.h>

enum { RAYS = 240, GATES = 400, MEMBERS = 12 };

static float scan[RAYS][GATES], mine[RAYS][GATES];
static double forecast[MEMBERS][GATES];

static void new_scan(int number)
{
    for (int ray = 0; ray < RAYS; ray++)
        for (int gate = 0; gate < GATES; gate++)
            scan[ray][gate] = (float)((ray * 31 + gate * 17 + number) % 60);
}

/* What differs much from its surroundings is no rain. */
PLACE check_ray(float *ray)
{
    for (int gate = 16; gate < GATES - 16; gate++) {
        float mean = 0, spread = 0;
        for (int near = gate - 16; near <= gate + 16; near++)
            mean += ray[near];
        mean /= 33;
        for (int near = gate - 16; near <= gate + 16; near++)
            spread += (ray[near] - mean) * (ray[near] - mean);
        if ((ray[gate] - mean) * (ray[gate] - mean) * 33 > 4 * spread)
            ray[gate] = mean;
    }
}

PLACE check_rays(float (*rays)[GATES], int count)
{
    for (int ray = 0; ray < count; ray++)
        check_ray(rays[ray]);
}

/* All members are moved towards what was seen. */
PLACE update_ray(const float *ray, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int gate = 0; gate < GATES; gate++) {
            double mean = 0, spread = 1;
            for (int member = 0; member < MEMBERS; member++)
                mean += forecast[member][gate] / MEMBERS;
            for (int member = 0; member < MEMBERS; member++)
                spread += (forecast[member][gate] - mean) * (forecast[member][gate] - mean);
            for (int member = 0; member < MEMBERS; member++)
                forecast[member][gate] += (ray[gate] - mean) * spread / (spread + 100);
        }
}

PLACE update_rays(float (*rays)[GATES], int count, int rounds)
{
    for (int ray = 0; ray < count; ray++)
        update_ray(rays[ray], rounds);
}

static void quality_control(void)
{
    enum { STEPS = 300 };
    const int count = RAYS / size;
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0)
            new_scan(step);
        if (rank == 0 && !mended)
            check_rays(scan, RAYS);
        MPI_Scatter(scan, count * GATES, MPI_FLOAT, mine, count * GATES, MPI_FLOAT, 0,
                    MPI_COMM_WORLD);
        if (mended)
            check_rays(mine, count);
        update_rays(mine, count, 1);
        sum_of_all(forecast[0][GATES / 2]);
    }
}

/* The radar's own computer is far away. */
PLACE await_scan(void)
{
    enum { ANSWER_MS = 15 };
    if (!mended)
        poll(NULL, 0, ANSWER_MS);
}

PLACE far_radar(void)
{
    enum { STEPS = 60 };
    const int share = RAYS / size, less = share / 5;
    const bool has_radar = rank == size - 1 && size > 1;
    int count = share;
    if (!mended && size > 1)
        count = has_radar ? less : (RAYS - less) / (size - 1);
    new_scan(0);
    for (int step = 0; step < STEPS; step++) {
        if (has_radar)
            await_scan();
        update_rays(scan, count, 8);
        sum_of_all(forecast[0][GATES / 2]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"quality_control", quality_control}, {"far_radar", far_radar}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
