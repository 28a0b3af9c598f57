/* Zoo: a solver in small, with causes of several kinds (../zoo.h, score.py).
 *
 * zoo: dense_rows uneven rank 1 at multiply_rows
 * zoo: scatter_root uneven rank 0 at pack_pieces
 * zoo: shared_update in_turn rank any at update_shared held_lock
 * zoo: small_bcasts latency rank any at share_values
 * zoo: whole_table bandwidth rank any at send_table
 * zoo: collect_all bandwidth rank any at collect_field
 * zoo: overlapped healthy
 */
#include "zoo.h"

enum { STEPS = 40, STEP_US = 20000 };

PLACE multiply_rows(long us)
{
    compute_us(us);
}

/* The dense rows of a matrix are all on rank 1; its neighbours' values come by nonblocking calls.
 */
static void dense_rows(void)
{
    static double border[2][256];
    const long all = 2L * STEP_US * 3 / 2, light = all / (size + 2);
    MPI_Comm world;
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    for (int step = 0; step < STEPS; step++) {
        MPI_Request both[2];
        MPI_Status ends[2];
        MPI_Irecv(border[0], 256, MPI_DOUBLE, (rank + size - 1) % size, 1, world, &both[0]);
        MPI_Isend(border[1], 256, MPI_DOUBLE, (rank + 1) % size, 1, world, &both[1]);
        multiply_rows(mended ? all / size : rank == 1 ? all - light * (size - 1) : light);
        MPI_Waitall(2, both, ends);
    }
    MPI_Comm_free(&world);
}

PLACE pack_pieces(long us)
{
    compute_us(us);
}

/* The root packs the pieces of all; the twin's ranks prepare their own. */
static void scatter_root(void)
{
    static double pieces[1 << 16], mine[1 << 12];
    for (int step = 0; step < STEPS; step++) {
        if (mended)
            pack_pieces(STEP_US / size);
        else if (rank == 0)
            pack_pieces(STEP_US);
        MPI_Scatter(pieces, 512, MPI_DOUBLE, mine, 512, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        compute_us(STEP_US * 2 / size);
        sum_of_all(1);
    }
}

/* A rank computes while it holds the lock of the window; the twin does so before. */
PLACE update_shared(MPI_Win window, long us)
{
    double value = 1;
    if (mended)
        compute_us(us);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (!mended)
        compute_us(us);
    MPI_Put(&value, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
}

static void shared_update(void)
{
    double *values;
    MPI_Win window;
    MPI_Win_allocate(64 * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &values, &window);
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        update_shared(window, STEP_US * 2 / size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&window);
}

/* Value by value from root to root; the twin's roots send theirs at once. */
PLACE share_values(int values)
{
    static double all[1 << 16];
    const int count = mended ? values / size : 1;
    for (int i = 0; i + count <= values; i += count)
        MPI_Bcast(all + i, count, MPI_DOUBLE, i / count % size, MPI_COMM_WORLD);
}

static void small_bcasts(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        share_values(60000 / size);
        sum_of_all(1);
    }
}

/* The whole table each time; the twin sends the tenth that has changed. */
PLACE send_table(void)
{
    enum { TABLE = 5 << 20 };
    static double *table;
    if (table == NULL)
        table = calloc(TABLE, sizeof *table);
    MPI_Bcast(table, TABLE / (mended ? 10 : 1), MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void whole_table(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        send_table();
    }
}

/* Every rank collects the field of all; the twin its borders only. */
PLACE collect_field(void)
{
    enum { FIELD = 4 << 20 };
    static double *mine, *all;
    if (mine == NULL) {
        mine = calloc(FIELD / (size_t)size, sizeof *mine);
        all = calloc(FIELD, sizeof *all);
    }
    const int count = mended ? 1024 : FIELD / size;
    MPI_Allgather(mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void collect_all(void)
{
    for (int step = 0; step < STEPS; step++) {
        compute_us(STEP_US * 2 / size);
        collect_field();
    }
}

/* A sum of all is under way while the ranks compute, and asked for now and then. */
static void overlapped(void)
{
    for (int step = 0; step < STEPS; step++) {
        double mine = 1, sum;
        int done = 0;
        MPI_Request request;
        MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        for (int part = 0; part < 20; part++) {
            multiply_rows(STEP_US * 2 / size / 16);
            if (!done)
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        if (!done)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int count, char **words)
{
    static const struct zoo_case cases[] = {
        {"dense_rows", dense_rows},       {"scatter_root", scatter_root},
        {"shared_update", shared_update}, {"small_bcasts", small_bcasts},
        {"whole_table", whole_table},     {"collect_all", collect_all},
        {"overlapped", overlapped},       {NULL, NULL}};
    MPI_Init(&count, &words);
    return run_case(count, words, cases);
}
