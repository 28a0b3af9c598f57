/* Zoo: a chain of amino acids that folds (../zoo.h, score.py).
 *
 * zoo: keeper uneven rank 0 at polish_best|keep_best
 * Energies are worked out by a function that is called from two places, some calls deep. All ranks
 * call it for as many moves; rank 0 calls it for the best fold besides, to polish that, which is
 * twice as much as its moves where there are two ranks, and the others wait. The twin's ranks
 * polish their own folds, and each does its share of that.
 *
 * zoo: next_number latency rank any at take_moves
 * Whoever is ready takes the next move: its number is asked of a counter in rank 0's window by
 * MPI_Fetch_and_op, for each of 2 million moves of 0.5 us or so. The twin takes 500 at a time.
 *
 * zoo: held_pool in_turn rank any at improve_fold|hold_pool held_lock
 * Ranks add what they have found to a pool of folds in rank 0's window, under an exclusive lock.
 * They take the lock before they look for anything, so one rank looks at a time, in each of 100
 * steps. The twin looks first.
 */
#include "zoo.h"

enum { ACIDS = 160 };

struct fold {
    double x[ACIDS], y[ACIDS];
};

static struct fold folded;

static void stretch_out(struct fold *fold)
{
    for (int acid = 0; acid < ACIDS; acid++) {
        fold->x[acid] = acid;
        fold->y[acid] = 1e-3 * (acid % 13 + rank);
    }
}

/* Of one acid with all others. */
PLACE acid_energy(const struct fold *fold, int acid, double *energy)
{
    const double x = fold->x[acid], y = fold->y[acid];
    for (int other = 0; other < ACIDS; other++) {
        const double across = fold->x[other] - x, along = fold->y[other] - y;
        const double apart = across * across + along * along + 0.5;
        *energy += (1 / apart - 1) / apart;
    }
}

PLACE part_energy(const struct fold *fold, int first, int count, double *energy)
{
    for (int acid = first; acid < first + count; acid++)
        acid_energy(fold, acid % ACIDS, energy);
}

/* Of the whole chain after a turn at one acid: all that is near it. */
PLACE chain_energy(const struct fold *fold, int acid, double *energy)
{
    *energy = 0;
    part_energy(fold, acid + ACIDS - 4, 8, energy);
}

PLACE weigh_move(struct fold *fold, int acid, double turn)
{
    double before, behind;
    chain_energy(fold, acid, &before);
    fold->y[acid] += turn;
    chain_energy(fold, acid, &behind);
    if (behind > before)
        fold->y[acid] -= turn;
}

PLACE try_moves(struct fold *fold, int moves, int step)
{
    for (int move = 0; move < moves; move++)
        weigh_move(fold, (move * 7 + step) % ACIDS, 1e-2 * (move % 5 - 2));
}

/* By very small turns. */
PLACE polish_best(struct fold *fold, int moves)
{
    for (int move = 0; move < moves; move++) {
        double energy;
        chain_energy(fold, move % ACIDS, &energy);
        fold->x[move % ACIDS] += 1e-9 * energy;
    }
}

PLACE keep_best(struct fold *fold, int moves)
{
    static const int all = 3200;
    if (mended)
        polish_best(fold, all / size);
    else if (rank == 0)
        polish_best(fold, all);
    fold->x[moves % ACIDS] += 1e-9;
}

PLACE fold_step(struct fold *fold, int moves, int step)
{
    try_moves(fold, moves, step);
    keep_best(fold, moves);
}

static void keeper(void)
{
    enum { STEPS = 60, MOVES = 1600 };
    stretch_out(&folded);
    for (int step = 0; step < STEPS; step++) {
        fold_step(&folded, MOVES / size, step);
        sum_of_all(folded.x[step % ACIDS]);
    }
}

/* -> the first of those that this rank has to try */
PLACE take_moves(MPI_Win window, int step, long count, long *first)
{
    MPI_Fetch_and_op(&count, first, MPI_LONG, 0, step, MPI_SUM, window);
    MPI_Win_flush(0, window);
}

PLACE turn_acid(long move, double *angle)
{
    double value = 1e-3 * (double)(move % 83), swing = *angle;
    for (int moment = 0; moment < 60; moment++) {
        swing += 0.05 * value;
        value = 0.99 * value - 0.05 * swing;
    }
    *angle = 0.5 * swing;
}

static void next_number(void)
{
    enum { STEPS = 100, MOVES = 20000, AT_ONCE = 500 };
    const long count = mended ? AT_ONCE : 1;
    long *counters;
    double angle = 0;
    MPI_Win window;
    MPI_Win_allocate(rank == 0 ? STEPS * (MPI_Aint)sizeof *counters : 0, sizeof *counters,
                     MPI_INFO_NULL, MPI_COMM_WORLD, &counters, &window);
    if (rank == 0)
        memset(counters, 0, STEPS * sizeof *counters);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int step = 0; step < STEPS; step++) {
        long first;
        for (take_moves(window, step, count, &first); first < MOVES;
             take_moves(window, step, count, &first))
            for (long move = first; move < first + count; move++)
                turn_acid(move, &angle);
        sum_of_all(angle);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* What this rank's fold would add to the pool. */
PLACE improve_fold(struct fold *fold, int moves, int step, double *worth)
{
    try_moves(fold, moves, step);
    *worth = fold->y[step % ACIDS];
}

PLACE hold_pool(MPI_Win window)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
}

PLACE add_to_pool(MPI_Win window, int place, double worth)
{
    double known;
    MPI_Get(&known, 1, MPI_DOUBLE, 0, place, 1, MPI_DOUBLE, window);
    MPI_Win_flush(0, window);
    known = worth < known ? worth : known;
    MPI_Put(&known, 1, MPI_DOUBLE, 0, place, 1, MPI_DOUBLE, window);
}

static void held_pool(void)
{
    enum { STEPS = 100, MOVES = 1500, PLACES = 64 };
    double *pool, worth;
    MPI_Win window;
    MPI_Win_allocate(PLACES * sizeof *pool, sizeof *pool, MPI_INFO_NULL, MPI_COMM_WORLD, &pool,
                     &window);
    memset(pool, 0, PLACES * sizeof *pool);
    stretch_out(&folded);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        if (mended)
            improve_fold(&folded, MOVES / size, step, &worth);
        hold_pool(window);
        if (!mended)
            improve_fold(&folded, MOVES / size, step, &worth);
        add_to_pool(window, step % PLACES, worth);
        MPI_Win_unlock(0, window);
        sum_of_all(worth);
    }
    MPI_Win_free(&window);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"keeper", keeper}, {"next_number", next_number}, {"held_pool", held_pool}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
