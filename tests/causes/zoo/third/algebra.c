/* Zoo: small solvers of linear algebra (../zoo.h, score.py). The twins: rows are divided by their
 * values, panels are factored by all ranks, one sum for all vectors.
 *
 * zoo: dense_head uneven rank 0 at multiply_matrix
 * zoo: panels in_turn rank any at factor_panel
 * zoo: row_groups latency rank any at orthogonalize
 * zoo: hidden_halo healthy
 */
#include "zoo.h"

enum { ROWS = 40000, HEAD_ROWS = 5000, HEAD_VALUES = 240, TAIL_VALUES = 8, STEPS = 40 };

static long values_before(long row)
{
    return row < HEAD_ROWS ? row * HEAD_VALUES
                           : (long)HEAD_ROWS * HEAD_VALUES + (row - HEAD_ROWS) * TAIL_VALUES;
}

/* The first row of a part: as many rows for each rank, or as many values. */
static int first_row(int part)
{
    if (!mended)
        return (int)((long)ROWS * part / size);
    int row = 0;
    while (row < ROWS && values_before(row) < values_before(ROWS) * part / size)
        row++;
    return row;
}

PLACE multiply_matrix(const double *x, double *y, int first, int last)
{
    static const double weight = 1e-3;
    for (int row = first; row < last; row++) {
        const int values = row < HEAD_ROWS ? HEAD_VALUES : TAIL_VALUES;
        double sum = 0;
        for (int i = 0, column = row; i < values; i++) {
            column = (column * 5 + 7919) % ROWS;
            sum += weight * x[column];
        }
        y[row - first] = (1 + sum) / 4;
    }
}

/* Jacobi's iteration with a matrix whose first rows have 30 times as many values as the others. */
static void dense_head(void)
{
    static double x[ROWS], y[ROWS];
    int *counts = calloc((size_t)size, sizeof(int)), *firsts = calloc((size_t)size, sizeof(int));
    for (int part = 0; part < size; part++) {
        firsts[part] = first_row(part);
        counts[part] = first_row(part + 1) - firsts[part];
    }
    const int first = firsts[rank], rows = counts[rank];
    for (int step = 0; step < 280; step++) {
        multiply_matrix(x, y, first, first + rows);
        MPI_Allgatherv(y, rows, MPI_DOUBLE, x, counts, firsts, MPI_DOUBLE, MPI_COMM_WORLD);
        if (step % 10 == 0)
            sum_of_all(x[first]);
    }
    free(counts);
    free(firsts);
}

/* The panel's owner factors it while the others wait for it; the twin's ranks have a part each. */
PLACE factor_panel(double *panel, int values, int owner)
{
    enum { PANEL_US = 10000 };
    if (mended) {
        compute_us(PANEL_US / size);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, panel, values / size, MPI_DOUBLE,
                      MPI_COMM_WORLD);
        return;
    }
    if (rank == owner)
        compute_us(PANEL_US);
    MPI_Bcast(panel, values, MPI_DOUBLE, owner, MPI_COMM_WORLD);
}

PLACE update_trailing(double *panel, int values)
{
    for (int i = 0; i < values; i++)
        panel[i] = panel[i] * 0.5 + 1;
    compute_us(14000 / size);
}

static void panels(void)
{
    static double panel[4096];
    for (int number = 0; number < 80; number++) {
        factor_panel(panel, 4096, number % size);
        update_trailing(panel, 4096);
    }
}

/* One sum over the row of ranks for each pair of vectors; the twin's is for all pairs. */
PLACE orthogonalize(MPI_Comm row, int pairs)
{
    static double dots[20000], sums[20000];
    const int count = mended ? pairs : 1;
    for (int pair = 0; pair < pairs; pair += count) {
        for (int i = pair; i < pair + count; i++)
            dots[i] = sums[i] * 0.5 + i;
        MPI_Allreduce(dots + pair, sums + pair, count, MPI_DOUBLE, MPI_SUM, row);
    }
}

static void row_groups(void)
{
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    for (int step = 0; step < STEPS; step++) {
        compute_us(40000 / size);
        orthogonalize(row, 24000 / size);
    }
    MPI_Comm_free(&row);
}

/* The borders travel while the inner rows are computed: nothing is to be gained. */
static void hidden_halo(void)
{
    static double out[2][2000], in[2][2000];
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Request all[4];
    MPI_Status done[4];
    MPI_Recv_init(in[0], 2000, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Recv_init(in[1], 2000, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Send_init(out[0], 2000, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &all[2]);
    MPI_Send_init(out[1], 2000, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &all[3]);
    for (int step = 0; step < STEPS; step++) {
        MPI_Startall(4, all);
        compute_us(56000 / size);
        MPI_Waitall(4, all, done);
        compute_us(4000 / size);
        for (int i = 0; i < 2000; i++)
            out[0][i] = out[1][i] = in[0][i] + in[1][i] + 1;
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&all[i]);
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {{"dense_head", dense_head},
                                            {"panels", panels},
                                            {"row_groups", row_groups},
                                            {"hidden_halo", hidden_halo},
                                            {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
