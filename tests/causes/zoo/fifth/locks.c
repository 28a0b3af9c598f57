/* Zoo: ranks that compute while they hold the lock of a window (../zoo.h, score.py). The twins
 * compute before they take it.
 *
 * zoo: held_update in_turn rank any at update_bins held_lock
 * zoo: held_table in_turn rank last at fill_table held_lock
 *
 * Not to be called so: a lock that is held for one value, one that nobody else wants, and one that
 * all may hold at once.
 *
 * zoo: short_lock healthy
 * zoo: own_lock healthy
 * zoo: shared_lock healthy
 *
 * Gain: bins are worked out side by side (a third of the run, 2 ranks); the others need not wait
 * until the last rank has filled the table (two fifths of the run).
 */
#include "zoo.h"

enum { STEPS = 60, STEP_US = 10000, VALUES = 64 };

static double *values;

static MPI_Win open_window(void)
{
    MPI_Win window;
    MPI_Win_allocate(VALUES * (MPI_Aint)sizeof *values, sizeof *values, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &values, &window);
    return window;
}

PLACE work_out(long us)
{
    compute_us(us);
}

/* Each rank adds to the bins of rank 0. */
PLACE update_bins(MPI_Win window, long us)
{
    double value = 1;
    if (mended)
        work_out(us);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (!mended)
        work_out(us);
    MPI_Accumulate(&value, 1, MPI_DOUBLE, 0, rank % VALUES, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock(0, window);
}

static void held_update(void)
{
    MPI_Win window = open_window();
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        update_bins(window, STEP_US * 2 / size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

/* Of the table that all read. */
PLACE fill_table(MPI_Win window, long us)
{
    double table[VALUES] = {0};
    if (mended)
        work_out(us);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (!mended)
        work_out(us);
    MPI_Put(table, VALUES, MPI_DOUBLE, 0, 0, VALUES, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
}

PLACE read_table(MPI_Win window)
{
    double table[VALUES];
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(table, VALUES, MPI_DOUBLE, 0, 0, VALUES, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
}

/* The last rank has the lock before the others want it. */
static void held_table(void)
{
    MPI_Win window = open_window();
    for (int step = 0; step < STEPS; step++) {
        if (rank == size - 1) {
            fill_table(window, STEP_US);
        } else {
            compute_us(STEP_US / 20);
            read_table(window);
            compute_us(STEP_US);
        }
        compute_us(STEP_US / 2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

PLACE add_value(MPI_Win window)
{
    double value = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(&value, 1, MPI_DOUBLE, 0, rank % VALUES, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock(0, window);
}

static void short_lock(void)
{
    MPI_Win window = open_window();
    for (int step = 0; step < 2 * STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        add_value(window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

/* Work under a lock that the others want at the same time only if they may have it, too. */
PLACE work_under_lock(MPI_Win window, int kind, int target, long us)
{
    MPI_Win_lock(kind, target, 0, window);
    work_out(us);
    MPI_Win_unlock(target, window);
}

static void own_lock(void)
{
    MPI_Win window = open_window();
    for (int step = 0; step < 2 * STEPS; step++) {
        work_under_lock(window, MPI_LOCK_EXCLUSIVE, rank, STEP_US * 2 / size);
        sum_of_all(1);
    }
    MPI_Win_free(&window);
}

static void shared_lock(void)
{
    MPI_Win window = open_window();
    for (int step = 0; step < 2 * STEPS; step++) {
        work_under_lock(window, MPI_LOCK_SHARED, 0, STEP_US * 2 / size);
        sum_of_all(1);
    }
    MPI_Win_free(&window);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"held_update", held_update}, {"held_table", held_table},   {"short_lock", short_lock},
        {"own_lock", own_lock},       {"shared_lock", shared_lock}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
