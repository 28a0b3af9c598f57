/* Zoo: pieces of old satellites that may hit others (../zoo.h, score.py).
 *
 * zoo: crowded_shell uneven rank last at refine_pair|screen_pairs
 * Pairs are sorted by their altitude, and each rank has one block of them. Those that pass a coarse
 * look are flown along their orbits, and the higher the more do: the last rank flies 90 % of them
 * and more where there are two. The twin deals the pairs out one by one.
 *
 * zoo: numbered_on in_turn rank any at number_on
 * Each pair that comes near gets a number, and those of a rank follow those of the rank before.
 * Each rank gets the first number before it looks for its pairs, and tells the next rank behind
 * that, so one rank looks at a time. The twin's ranks look first, and an MPI_Exscan numbers the
 * pairs.
 *
 * zoo: lighter_root healthy
 * Rank 0 alone makes the list of the next step, and it flies fewer pairs for that, so that all
 * ranks are ready at the same time; the list is broadcast while they fly.
 */
#include "zoo.h"

enum { PAIRS = 20000, THOUSAND = 1000 };

/* How near the two come to each other. */
PLACE refine_pair(unsigned pair, double *nearest)
{
    double across = 1 + 1e-3 * (pair % 97), along = 0, other = 0.3;
    for (int moment = 0; moment < 300; moment++) {
        across -= 0.02 * along;
        along += 0.02 * across;
        other = 0.999 * other + 1e-4;
        const double apart = (across - other) * (across - other) + along * along;
        *nearest = apart < *nearest ? apart : *nearest;
    }
}

static inline unsigned dice(unsigned pair, unsigned step)
{
    unsigned value = pair * 2654435761U + step * 40503U;
    value ^= value >> 15;
    value *= 2246822519U;
    return (value ^ value >> 13) % THOUSAND;
}

/* A coarse look. Of those at the bottom 1 % pass, of those at the top 61 %. */
static inline bool come_near(unsigned pair, unsigned step)
{
    const double high = (double)pair / PAIRS;
    return dice(pair, step) < 10 + 600 * high * high * high * high;
}

PLACE screen_pairs(int from, int until, int stride, unsigned step)
{
    double nearest = 1;
    for (int pair = from; pair < until; pair += stride)
        if (come_near((unsigned)pair, step))
            refine_pair((unsigned)pair, &nearest);
    kept = nearest;
}

static void crowded_shell(void)
{
    enum { STEPS = 800 };
    const int share = PAIRS / size;
    for (unsigned step = 0; step < STEPS; step++) {
        if (mended)
            screen_pairs(rank, PAIRS, size, step);
        else
            screen_pairs(rank * share, (rank + 1) * share, 1, step);
        sum_of_all(kept);
    }
}

/* -> how many of this rank's pairs come near */
PLACE find_pairs(unsigned step, int *found)
{
    double nearest = 1;
    *found = 0;
    for (unsigned pair = (unsigned)rank; pair < PAIRS; pair += (unsigned)size)
        if (come_near(pair, step)) {
            refine_pair(pair, &nearest);
            *found += nearest < 1;
        }
}

PLACE number_on(unsigned step)
{
    int from = 0, found, behind;
    if (!mended && rank > 0)
        MPI_Recv(&from, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    find_pairs(step, &found);
    if (mended)
        MPI_Exscan(&found, &from, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    behind = from + found;
    if (!mended && rank < size - 1)
        MPI_Send(&behind, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
    MPI_Bcast(&behind, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    kept = behind;
}

static void numbered_on(void)
{
    enum { STEPS = 800 };
    for (unsigned step = 0; step < STEPS; step++)
        number_on(step);
}

enum { LIST = 4000, LOOKS = 400 };

/* Takes as long as LOOKS pairs of the list. */
PLACE make_list(unsigned *list, unsigned step)
{
    double nearest = 1;
    for (int look = 0; look < LOOKS; look++)
        refine_pair((unsigned)look + step, &nearest);
    for (unsigned number = 0; number < LIST; number++)
        list[number] = dice(number, step + (nearest < 0.5));
}

PLACE fly_list(const unsigned *list, int from, int until)
{
    double nearest = 1;
    for (int number = from; number < until; number++)
        refine_pair(list[number], &nearest);
    kept = nearest;
}

static void lighter_root(void)
{
    enum { STEPS = 500 };
    static unsigned list[2][LIST];
    const int share = (LIST + LOOKS) / size;
    const int from = rank == 0 ? 0 : rank * share - LOOKS, until = (rank + 1) * share - LOOKS;
    MPI_Request request;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned *next = list[(step + 1) % 2];
        if (rank == 0)
            make_list(next, step);
        MPI_Ibcast(next, LIST, MPI_UNSIGNED, 0, MPI_COMM_WORLD, &request);
        fly_list(list[step % 2], from, until);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    sum_of_all(kept);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"crowded_shell", crowded_shell},
                                            {"numbered_on", numbered_on},
                                            {"lighter_root", lighter_root},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
