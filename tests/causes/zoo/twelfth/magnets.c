/* Zoo: spins in a magnetic film (../zoo.h, score.py).
 *
 * zoo: whole_film bandwidth rank any at fetch_film
 * Each rank gets what it needs of the next rank's spins out of its window by MPI_Get between two
 * fences: all of the rank's film, 32 MiB/size in each of 100 steps, of which it needs the first
 * row. The twin gets the row.
 *
 * zoo: shared_sums in_turn rank any at add_stray|shared_sums
 * Ranks of a node add their stray fields up in memory that they share. One rank after the other
 * does so, and a barrier keeps the others off until it has; but to work out what it adds takes far
 * longer than to add it. The twin's ranks work it out before their turns.
 *
 * zoo: static_palette start-up rank last at make_palette
 * The last rank will draw pictures. It works their colours out before main() begins, as C++ does
 * with static objects, 0.5 s or so while the others wait for it in MPI_Init, and each of 8 million
 * colours, of which 16000 are used; the twin works out these.
 */
#include "zoo.h"

enum { ROW = 2048, ROWS = 2048 };

/* Each of the spins of some rows turns to those around it. */
PLACE turn_spins(double *film, int rows)
{
    for (int row = 0; row < rows; row++) {
        double *spins = film + (size_t)row * ROW;
        for (int at = 1; at < ROW; at++) {
            const double field = 0.4 * spins[at - 1] + 0.1;
            spins[at] = 0.6 * spins[at] + field * (1.02 - 0.02 * spins[at]);
        }
    }
}

PLACE fetch_film(MPI_Win window, double *next, int rows)
{
    const int count = (mended ? 1 : rows) * ROW;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Get(next, count, MPI_DOUBLE, (rank + 1) % size, 0, count, MPI_DOUBLE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static void whole_film(void)
{
    enum { STEPS = 100 };
    const int rows = ROWS / size;
    const size_t bytes = (size_t)rows * ROW * sizeof(double);
    double *film, *next = malloc(bytes);
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)bytes, sizeof *film, MPI_INFO_NULL, MPI_COMM_WORLD, &film, &window);
    if (next == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(film, 0, bytes);
    memset(next, 0, bytes);
    for (int step = 0; step < STEPS; step++) {
        fetch_film(window, next, rows);
        for (int at = 0; at < ROW; at++)
            film[(size_t)(rows - 1) * ROW + (size_t)at] += 1e-3 * next[at];
        turn_spins(film, rows / 4);
    }
    MPI_Win_free(&window);
    free(next);
}

enum { PLACES = 1024, SPINS = 4096 };

/* What this rank's spins add at some places. */
PLACE add_stray(double *fields, int spins)
{
    static double spin[SPINS];
    for (int place = 0; place < PLACES; place++) {
        double field = 0;
        for (int at = 0; at < spins; at++)
            field = 0.999 * field + spin[at];
        spin[place % SPINS] = 1e-3 * field + 0.1;
        fields[place] += field;
    }
}

PLACE shared_sums(void)
{
    enum { STEPS = 130 };
    static double mine[PLACES];
    double *sums;
    int unit, of_node;
    MPI_Aint bytes;
    MPI_Comm node;
    MPI_Win window;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &of_node);
    MPI_Win_allocate_shared(of_node == 0 ? sizeof mine : 0, sizeof *sums, MPI_INFO_NULL, node,
                            &sums, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &sums);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (of_node == 0)
        memset(sums, 0, sizeof mine);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        memset(mine, 0, sizeof mine);
        if (mended)
            add_stray(mine, SPINS / size);
        for (int turn = 0; turn < size; turn++) {
            if (turn == rank && !mended)
                add_stray(sums, SPINS / size);
            for (int place = 0; place < PLACES && turn == rank && mended; place++)
                sums[place] += mine[place];
            MPI_Win_sync(window);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Win_sync(window);
        }
    }
    kept = sums[0];
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
}

enum { MOST = 8000000, FEW = 16000 };

static float palette[MOST];

/* So that equal steps look equal. */
PLACE make_palette(int count)
{
    for (int number = 0; number < count; number++) {
        double light = 0.5;
        const double wanted = (double)number / count;
        for (int iteration = 0; iteration < 14; iteration++)
            light -= (light * light * light - wanted) / (3 * light * light + 0.1);
        palette[number] = (float)light;
    }
}

__attribute__((constructor)) static void before_main(int count, char **words)
{
    const char *number = getenv("OMPI_COMM_WORLD_RANK"), *all = getenv("OMPI_COMM_WORLD_SIZE");
    if (number == NULL || all == NULL) {
        number = getenv("PMI_RANK");
        all = getenv("PMI_SIZE");
    }
    if (count < 3 || strcmp(words[1], "static_palette") != 0)
        return;
    if (number == NULL || all == NULL || atoi(number) == atoi(all) - 1)
        make_palette(strcmp(words[2], "mended") == 0 ? FEW : MOST);
}

static void static_palette(void)
{
    enum { STEPS = 30 };
    double *film = calloc((size_t)ROWS * ROW, sizeof *film);
    if (film == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < STEPS; step++) {
        turn_spins(film, ROWS / size);
        film[1] += 1e-6 * palette[step * (FEW / STEPS)];
        sum_of_all(film[ROW / 2]);
    }
    free(film);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"whole_film", whole_film},
                                            {"shared_sums", shared_sums},
                                            {"static_palette", static_palette},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
