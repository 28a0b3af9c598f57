/* Zoo: messages that are many or large (zoo.h, score.py). The twin puts them into one, or sends
 * only what is needed.
 *
 * zoo: small_messages latency rank any at exchange_cells
 * zoo: small_sums latency rank any at dot_products
 * zoo: transpose bandwidth rank any at transpose_field
 * zoo: whole_array bandwidth rank any at exchange_halo
 */
#include "zoo.h"

enum { STEPS = 40, STEP_US = 20000 };

/* Cell by cell to the next rank. */
PLACE exchange_cells(int cells)
{
    static double mine[1 << 16], got[1 << 16];
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    const int count = mended ? cells : 1;
    for (int cell = 0; cell < cells; cell += count)
        MPI_Sendrecv(mine + cell, count, MPI_DOUBLE, next, 0, got + cell, count, MPI_DOUBLE, before,
                     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void small_messages(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        exchange_cells(60000 / size);
    }
}

PLACE dot_products(int products)
{
    static double mine[1 << 16], sums[1 << 16];
    const int count = mended ? products : 1;
    for (int i = 0; i < products; i += count)
        MPI_Allreduce(mine + i, sums + i, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void small_sums(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        dot_products(60000 / size);
    }
}

/* All of a field to all; the twin sends a tenth of it, what has changed. */
PLACE transpose_field(void)
{
    enum { FIELD = 4 << 20 };
    static double *from, *to;
    if (from == NULL) {
        from = calloc(FIELD, sizeof *from);
        to = calloc(FIELD, sizeof *to);
    }
    const int count = FIELD / size / (mended ? 10 : 1);
    MPI_Alltoall(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void transpose(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        transpose_field();
    }
}

/* The whole array goes to the neighbour, who needs its border only. */
PLACE exchange_halo(void)
{
    enum { ARRAY = 2 << 20, BORDER = 2048 };
    static double *mine, *got;
    if (mine == NULL) {
        mine = calloc(ARRAY, sizeof *mine);
        got = calloc(ARRAY, sizeof *got);
    }
    MPI_Request both[2];
    MPI_Status ends[2];
    const int count = mended ? BORDER : ARRAY;
    MPI_Irecv(got, count, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(mine, count, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, ends);
}

static void whole_array(void)
{
    for (int step = 0; step < 2 * STEPS; step++) {
        compute_us(STEP_US / 2 * 2 / size);
        exchange_halo();
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"small_messages", small_messages},
                                            {"small_sums", small_sums},
                                            {"transpose", transpose},
                                            {"whole_array", whole_array},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
