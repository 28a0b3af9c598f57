/* Zoo: the stars of a galaxy, a wedge of it on each rank (../zoo.h, score.py).
 *
 * zoo: full_bins bandwidth rank any at migrate_stars
 * Stars that leave a wedge are put into bins, one for each rank, and whole bins are exchanged: 64
 * MiB of all ranks in each of 110 steps, of which 40 kB are stars, 1 in 100 of them. The twin sends
 * the stars that are in the bins.
 *
 * zoo: quota blocked rank 0 at keep_quota|quota
 * Rank 0 writes a picture of 64 kB in each of 50 steps and sleeps 14 ms behind it, so that the file
 * system is not flooded, 0.7 s in all, while the others wait for its next time step; the twin's
 * does not sleep.
 */
#include "zoo.h"
#include <time.h>
#include <unistd.h>

enum { ALL_STARS = 60000, ALL_BINS = 1 << 20, PICTURE = 1 << 16 };

struct star {
    double at[3], speed[3], mass, born;
};

static struct star *stars;
static int count;
static double time_step = 1e-3;

static void place_stars(void)
{
    count = ALL_STARS / size;
    stars = calloc(ALL_STARS, sizeof *stars);
    for (int at = 0; at < count; at++) {
        struct star *it = &stars[at];
        it->at[0] = 1.0 + (double)(at % 97) / 97;
        it->at[1] = (double)(at % 89) / 89;
        it->at[2] = (double)(at % 83) / 830;
        it->mass = 1;
        it->born = at + (double)rank * count;
    }
}

/* In the field of the disk and of a dark halo. */
PLACE push_stars(int passes)
{
    for (int pass = 0; pass < passes; pass++)
        for (int at = 0; at < count; at++) {
            struct star *it = &stars[at];
            const double flat = it->at[0] * it->at[0] + it->at[1] * it->at[1];
            const double away = flat + it->at[2] * it->at[2] + 0.01;
            const double pull = 1 / (away * (away + 1)) + 0.2 / (away + 4);
            for (int way = 0; way < 3; way++) {
                it->speed[way] = 0.999 * it->speed[way] - time_step * pull * it->at[way];
                it->at[way] += time_step * it->speed[way];
            }
        }
}

static inline unsigned draw(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* One star of a hundred goes, to any rank. -> how many went to each */
static void fill_bins(struct star *bins, int capacity, int *filled, unsigned *state)
{
    memset(filled, 0, (size_t)size * sizeof *filled);
    for (int at = 0; at < count; at++)
        if (draw(state) % 100 == 0) {
            const int to = (int)(draw(state) % (unsigned)size);
            bins[(size_t)to * (size_t)capacity + (size_t)filled[to]++] = stars[at];
            stars[at--] = stars[--count];
        }
}

PLACE migrate_stars(struct star *out, struct star *in, int capacity, unsigned *state)
{
    enum { NUMBERS = sizeof(struct star) / sizeof(double) };
    int numbers[4][64]; /* sent, sent from, come, come to */
    const int whole = capacity * NUMBERS;
    fill_bins(out, capacity, numbers[0], state);
    MPI_Alltoall(numbers[0], 1, MPI_INT, numbers[2], 1, MPI_INT, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++) {
        numbers[1][other] = numbers[3][other] = other * whole;
        numbers[0][other] *= NUMBERS;
        numbers[2][other] *= NUMBERS;
    }
    if (mended)
        MPI_Alltoallv(out, numbers[0], numbers[1], MPI_DOUBLE, in, numbers[2], numbers[3],
                      MPI_DOUBLE, MPI_COMM_WORLD);
    else
        MPI_Alltoall(out, whole, MPI_DOUBLE, in, whole, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int other = 0; other < size; other++)
        for (int at = 0; at < numbers[2][other] / NUMBERS; at++)
            stars[count++] = in[(size_t)other * (size_t)capacity + (size_t)at];
}

static void full_bins(void)
{
    const int capacity = ALL_BINS / size / size;
    const size_t bytes = (size_t)size * (size_t)capacity * sizeof(struct star);
    struct star *out = malloc(bytes), *in = malloc(bytes);
    unsigned state = 2463534242U + (unsigned)rank * 7919;
    if (size > 64 || out == NULL || in == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(out, 0, bytes);
    for (int step = 0; step < 110; step++) {
        push_stars(36);
        migrate_stars(out, in, capacity, &state);
    }
    sum_of_all((double)count);
    if (zoo_sum != (double)(ALL_STARS / size * size))
        MPI_Abort(MPI_COMM_WORLD, 1);
    free(out);
    free(in);
}

PLACE draw_picture(FILE *file, unsigned char *picture)
{
    for (int at = 0; at < count; at++)
        picture[(int)(stars[at].at[0] * stars[at].at[0] * 20000) % PICTURE] += 1;
    rewind(file);
    if (fwrite(picture, 1, PICTURE, file) != PICTURE)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

PLACE keep_quota(void)
{
    const struct timespec pause = {0, 14000000};
    if (!mended)
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

PLACE quota(void)
{
    static unsigned char picture[PICTURE];
    char path[4096];
    FILE *file = NULL;
    snprintf(path, sizeof path, "%s/picture", folder);
    if (rank == 0 && (file = fopen(path, "w")) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < 50; step++) {
        push_stars(80);
        if (rank == 0) {
            draw_picture(file, picture);
            keep_quota();
            time_step = 1e-3 + 1e-9 * picture[0];
        }
        MPI_Bcast(&time_step, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    if (file != NULL) {
        fclose(file);
        unlink(path);
    }
}

int main(int words, char **word)
{
    static const struct zoo_case cases[] = {
        {"full_bins", full_bins}, {"quota", quota}, {NULL, NULL}};
    MPI_Init(&words, &word);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    place_stars();
    return run_case(words, word, cases);
}
