/* Zoo: how a concert hall will sound (../zoo.h, score.py).
 *
 * zoo: octaves threads rank 0 at ring_band|ring_octaves threads
 * Threads share three bands, of which the lowest rings 8 times and the next one twice as long as
 * the third: the first of two threads has two bands and 10 of 11 parts of the work. The twin's
 * threads share the bands of all 64 seats.
 *
 * zoo: one_cache threads rank 0 at work_out_wall|look_up_wall threads
 * Threads follow rays of sound, and each looks up what a wall leaves of it. What is not yet known
 * is worked out in the same critical section that guards the list, so one thread works at a time.
 * The twin's threads work it out outside, and enter only the result into the list.
 *
 * zoo: by_turns in_turn rank any at answer_seats|by_turns
 * For one rank after the other: it works out what its seats hear, and broadcasts it, and the others
 * do not begin with theirs before they have it. In the twin each rank works out its own first.
 */
#include "zoo.h"

enum { BANDS = 3, SEATS = 64 };

static double heard[BANDS][SEATS * 8];

PLACE ring_band(int band, int seat)
{
    static const int samples[BANDS] = {8000, 2000, 1000};
    double loud = 1, swing = 0;
    for (int sample = 0; sample < samples[band]; sample++) {
        swing += 0.05 * loud;
        loud = 0.9995 * loud - 0.05 * swing;
    }
    heard[band][seat * 8] += loud;
}

PLACE ring_octaves(void)
{
    if (mended) {
#pragma omp parallel for schedule(dynamic) collapse(2)
        for (int band = 0; band < BANDS; band++)
            for (int seat = 0; seat < SEATS; seat++)
                ring_band(band, seat);
    } else {
#pragma omp parallel for schedule(static)
        for (int band = 0; band < BANDS; band++)
            for (int seat = 0; seat < SEATS; seat++)
                ring_band(band, seat);
    }
}

static void octaves(void)
{
    for (int step = 0; step < 1200; step++) {
        ring_octaves();
        sum_of_all(heard[0][0]);
    }
}

enum { WALLS = 512, RAYS = 2 * WALLS };

static double reflected[WALLS];
static bool known[WALLS];

PLACE work_out_wall(int wall, double *value)
{
    double loud = 1, swing = 1e-3 * wall;
    for (int sample = 0; sample < 5000; sample++) {
        swing += 0.05 * loud;
        loud = 0.9995 * loud - 0.05 * swing;
    }
    *value = loud;
}

/* What a wall leaves of the sound. */
PLACE look_up_wall(int wall, double *value)
{
    bool is_known;
#pragma omp critical
    {
        if (!known[wall] && !mended) {
            work_out_wall(wall, &reflected[wall]);
            known[wall] = true;
        }
        is_known = known[wall];
        *value = reflected[wall];
    }
    if (is_known)
        return;
    work_out_wall(wall, value);
#pragma omp critical
    {
        reflected[wall] = *value;
        known[wall] = true;
    }
}

PLACE follow_ray(int ray, double *sound)
{
    double value, way = 0;
    look_up_wall(ray / 2, &value);
    for (int bounce = 0; bounce < 600; bounce++)
        way = 0.998 * way + value;
    *sound = way;
}

static void one_cache(void)
{
    enum { STEPS = 220 };
    static double sound[RAYS];
    for (int step = 0; step < STEPS; step++) {
        memset(known, 0, sizeof known);
#pragma omp parallel for schedule(static)
        for (int ray = 0; ray < RAYS; ray++)
            follow_ray(ray, &sound[ray]);
        sum_of_all(sound[step]);
    }
}

PLACE answer_seats(double *answers, int seats)
{
    for (int seat = 0; seat < seats; seat++) {
        ring_band(0, seat);
        answers[seat] = heard[0][seat * 8];
    }
}

PLACE by_turns(void)
{
    static double answers[SEATS * 8];
    const int seats = SEATS / size;
    for (int source = 0; source < 1200; source++) {
        if (mended)
            answer_seats(&answers[rank * seats], seats);
        for (int owner = 0; owner < size; owner++) {
            if (owner == rank && !mended)
                answer_seats(&answers[rank * seats], seats);
            MPI_Bcast(&answers[owner * seats], seats, MPI_DOUBLE, owner, MPI_COMM_WORLD);
        }
    }
    kept = answers[0];
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"octaves", octaves}, {"one_cache", one_cache}, {"by_turns", by_turns}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
