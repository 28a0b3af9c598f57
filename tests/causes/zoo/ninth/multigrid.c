/* Zoo: a multigrid solver in one dimension, and a library that it calls (../zoo.h, score.py).
 *
 * zoo: coarse_levels latency rank any at exchange_ends
 * A W-cycle goes down 13 levels, and a level is visited twice as often as the one above it: 24573
 * exchanges of 8 bytes in a cycle, three quarters of them on the two coarsest, where a sweep takes
 * less time than they do. The twin gathers the ninth level and solves it directly on each rank, 765
 * exchanges and 256 gathers in a cycle.
 *
 * zoo: split_in_library latency rank any at norm_of_rows
 * A library splits the communicator for each norm over a row of the grid of ranks and frees it
 * again, 50000 times; the twin's keeps it.
 */
#include "zoo.h"

enum { POINTS = 1 << 20, LEVELS = 13, DIRECT = 8, SWEEPS = 3 };

/* Values of this rank, a ghost at each end; index 0 is a ghost. */
struct level {
    double *value, *right, *work;
    int points;
};

static struct level levels[LEVELS];
static double *whole, *factor; /* of the level that is solved directly */

PLACE exchange_ends(double *value, int points)
{
    const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int behind = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&value[1], 1, MPI_DOUBLE, before, 1, &value[points + 1], 1, MPI_DOUBLE, behind, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value[points], 1, MPI_DOUBLE, behind, 2, &value[0], 1, MPI_DOUBLE, before, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

PLACE smooth_level(struct level *it)
{
    exchange_ends(it->value, it->points);
    for (int at = 1; at <= it->points; at++)
        it->work[at] =
            it->value[at] / 3 + (it->value[at - 1] + it->value[at + 1] + it->right[at]) / 3;
    memcpy(&it->value[1], &it->work[1], (size_t)it->points * sizeof(double));
}

PLACE restrict_level(const struct level *fine, struct level *coarse)
{
    for (int at = 1; at <= coarse->points; at++) {
        const double *value = &fine->value[2 * at - 1];
        coarse->right[at] = fine->right[2 * at - 1] + value[-1] - 2 * value[0] + value[1];
        coarse->value[at] = 0;
    }
}

PLACE prolong_level(const struct level *coarse, struct level *fine)
{
    for (int at = 1; at <= coarse->points; at++) {
        fine->value[2 * at - 1] += 0.5 * coarse->value[at];
        fine->value[2 * at] += 0.25 * (coarse->value[at] + coarse->value[at + 1]);
    }
}

/* Thomas's way, the same on each rank. */
PLACE solve_directly(struct level *it)
{
    const int all = it->points * size;
    MPI_Allgather(&it->right[1], it->points, MPI_DOUBLE, whole, it->points, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    for (int at = 1; at < all; at++)
        whole[at] += factor[at - 1] * whole[at - 1];
    whole[all - 1] *= factor[all - 1];
    for (int at = all - 2; at >= 0; at--)
        whole[at] = factor[at] * (whole[at] + whole[at + 1]);
    memcpy(&it->value[1], &whole[rank * it->points], (size_t)it->points * sizeof(double));
}

static void cycle(int number)
{
    struct level *it = &levels[number];
    if (mended && number == DIRECT) {
        solve_directly(it);
        return;
    }
    for (int sweep = 0; sweep < SWEEPS - 1; sweep++)
        smooth_level(it);
    if (number < LEVELS - 1) {
        restrict_level(it, it + 1);
        for (int visit = 0; visit < 2; visit++)
            cycle(number + 1);
        prolong_level(it + 1, it);
    }
    smooth_level(it);
}

static void coarse_levels(void)
{
    for (int number = 0; number < LEVELS; number++) {
        struct level *it = &levels[number];
        it->points = (POINTS >> number) / size;
        const size_t room = (size_t)it->points + 2;
        it->value = calloc(3 * room, sizeof(double));
        it->right = it->value + room;
        it->work = it->right + room;
        for (int at = 1; at <= it->points; at++)
            it->right[at] = 1e-6;
    }
    whole = calloc(2 * (POINTS >> DIRECT), sizeof(double));
    factor = whole + (POINTS >> DIRECT);
    for (int at = 0; at < POINTS >> DIRECT; at++)
        factor[at] = at == 0 ? 0.5 : 1 / (2 - factor[at - 1]);
    for (int number = 0; number < 14; number++)
        cycle(0);
    sum_of_all(levels[0].value[1]);
    for (int number = 0; number < LEVELS; number++)
        free(levels[number].value);
    free(whole);
}

PLACE relax_rows(double *values, int count)
{
    for (int at = 1; at < count - 1; at++)
        values[at] = 0.5 * values[at] + 0.25 * (values[at - 1] + values[at + 1]) + 1e-6;
}

/* Rows of two ranks. */
PLACE norm_of_rows(const double *values, MPI_Comm kept_row, double *norm)
{
    MPI_Comm row = kept_row;
    const double mine = values[0] * values[0];
    if (row == MPI_COMM_NULL)
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Allreduce(&mine, norm, 1, MPI_DOUBLE, MPI_SUM, row);
    if (kept_row == MPI_COMM_NULL)
        MPI_Comm_free(&row);
}

static void split_in_library(void)
{
    enum { VALUES = 5000, CALLS = 50000 };
    static double values[VALUES];
    MPI_Comm row = MPI_COMM_NULL;
    if (mended)
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    for (int call = 0; call < CALLS; call++) {
        double norm;
        relax_rows(values, VALUES / size);
        norm_of_rows(values, row, &norm);
        values[0] = 1 / (1 + norm);
    }
    if (mended)
        MPI_Comm_free(&row);
    sum_of_all(values[0]);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"coarse_levels", coarse_levels}, {"split_in_library", split_in_library}, {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
