/* Zoo: how a garment falls over a figure (../zoo.h, score.py).
 *
 * zoo: elastic_hem uneven rank last at stretch_elastic
 * Each patch of the garment has a fabric, whose functions are called by their addresses. The last
 * sixth of 480 patches is elastic and costs ten times what woven ones do, and each rank has as
 * many patches: all elastic ones are the last rank's, of up to four. The twin cuts the garment so
 * that ranks have as much work.
 *
 * zoo: other_way_round healthy
 * Even ranks first look for folds and then press the seams, which takes a third as long; odd ranks
 * do it the other way round. Nobody waits in between, and all are ready at the same time. What the
 * first of both has found goes to the next rank while the other is done.
 *
 * zoo: one_tag threads rank 0 at relax_tile|relax_tiles threads
 * Each of 16 tiles of the cloth is a task, and tasks are told to follow those that change the same
 * tile; but all of them name the first one, so one thread works at a time. The twin's name their
 * own.
 */
#include "zoo.h"

enum { PATCHES = 480, THREADS = 64, HEM = PATCHES / 6, DEARER = 10 };

struct patch;

struct fabric {
    int cost;
    void (*stretch)(struct patch *);
};

struct patch {
    const struct fabric *fabric;
    double length[THREADS];
};

static struct patch garment[PATCHES];

PLACE stretch_woven(struct patch *patch)
{
    double before = 1;
    for (int pass = 0; pass < 40; pass++)
        for (int at = 0; at < THREADS; at++) {
            before = 0.7 * patch->length[at] + 0.3 * before;
            patch->length[at] = before;
        }
}

/* Its threads become stiff when they are long. */
PLACE stretch_elastic(struct patch *patch)
{
    double before = 1;
    for (int pass = 0; pass < 40 * 7; pass++)
        for (int at = 0; at < THREADS; at++) {
            const double value = patch->length[at];
            before = 0.7 * value + 0.3 * before * (1.01 - 0.01 * value);
            patch->length[at] = before;
        }
}

static const struct fabric woven = {1, stretch_woven}, elastic = {DEARER, stretch_elastic};

PLACE cut_garment(void)
{
    for (int number = 0; number < PATCHES; number++) {
        garment[number].fabric = number < PATCHES - HEM ? &woven : &elastic;
        for (int at = 0; at < THREADS; at++)
            garment[number].length[at] = 1 + 0.01 * (at % 7);
    }
}

/* The first patch of a rank. */
static int patch_of(int owner)
{
    const int all = PATCHES - HEM + HEM * DEARER;
    int number = 0;
    if (!mended)
        return PATCHES * owner / size;
    for (int work = 0; work < all * owner / size; number++)
        work += garment[number].fabric->cost;
    return number;
}

PLACE drape(void (*advance)(int, int), int from, int until)
{
    advance(from, until);
}

PLACE advance_patches(int from, int until)
{
    for (int number = from; number < until; number++)
        garment[number].fabric->stretch(&garment[number]);
}

static void elastic_hem(void)
{
    enum { STEPS = 280 };
    cut_garment();
    const int from = patch_of(rank), until = patch_of(rank + 1);
    for (int step = 0; step < STEPS; step++) {
        drape(advance_patches, from, until);
        sum_of_all(garment[from].length[0]);
    }
}

PLACE find_folds(int patches, double *found)
{
    for (int pass = 0; pass < 3; pass++)
        for (int number = 0; number < patches; number++)
            stretch_woven(&garment[number]);
    *found = garment[0].length[1];
}

PLACE press_seams(int patches, double *pressed)
{
    for (int number = 0; number < patches; number++)
        stretch_woven(&garment[number]);
    *pressed = garment[0].length[2];
}

static void other_way_round(void)
{
    enum { STEPS = 120 };
    const int before = (rank + size - 1) % size, behind = (rank + 1) % size;
    double values[2], come;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    cut_garment();
    for (int step = 0; step < STEPS; step++) {
        MPI_Irecv(&come, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
        if (rank % 2 == 0)
            find_folds(PATCHES / size, &values[0]);
        else
            press_seams(PATCHES / size, &values[0]);
        MPI_Isend(&values[0], 1, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, &requests[1]);
        if (rank % 2 == 0)
            press_seams(PATCHES / size, &values[1]);
        else
            find_folds(PATCHES / size, &values[1]);
        MPI_Waitall(2, requests, statuses);
        garment[0].length[0] += 1e-6 * (come + values[1]);
    }
}

enum { TILES = 16, OF_TILE = 4096 };

static double cloth[TILES][OF_TILE];

PLACE relax_tile(int tile)
{
    double *heights = cloth[tile];
    for (int pass = 0; pass < 60; pass++)
        for (int at = 1; at < OF_TILE; at++)
            heights[at] = 0.6 * heights[at] + 0.39 * heights[at - 1] + 0.01;
}

PLACE relax_tiles(void)
{
#pragma omp parallel
#pragma omp single
    for (int sweep = 0; sweep < 2; sweep++)
        for (int tile = 0; tile < TILES; tile++) {
            const int tag = mended ? tile : 0;
#pragma omp task depend(inout : cloth[tag]) firstprivate(tile)
            relax_tile(tile);
        }
}

static void one_tag(void)
{
    for (int step = 0; step < 30; step++) {
        relax_tiles();
        sum_of_all(cloth[0][step]);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"elastic_hem", elastic_hem},
                                            {"other_way_round", other_way_round},
                                            {"one_tag", one_tag},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
