/* Truth: every collective, blocking, nonblocking and (MPI-4) persistent, with and without
 * MPI_IN_PLACE. What rank r of n contributes depends on r. So a wrong rank's count shows. Results
 * are checked. */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;
enum { LONGEST = 4000 };
static enum { BLOCKING, NONBLOCKING, PERSISTENT } mode;
static const char *const mode_names[] = {"blocking", "nonblocking", "persistent"};
static int starts = 3; /* of each persistent operation */

static int in[LONGEST], out[LONGEST];
static int counts[64], displacements[64], other_counts[64], other_displacements[64];
static int n, me;

/* RUN(Bcast, bcast, size, arguments...) calls MPI_Bcast, MPI_Ibcast or MPI_Bcast_init, whose one
 * call is worth `size`. */
#if MPI_VERSION >= 4
#define RUN_PERSISTENT(name, size, ...)                          \
    do {                                                         \
        MPI_Request request;                                     \
        MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
        expect("MPI_" #name "_init", 1, 0);                      \
        expect_transfers("MPI_" #name "_init", size, starts);    \
        for (int start = 0; start < starts; start++) {           \
            MPI_Start(&request);                                 \
            expect("MPI_Start", 1, 0);                           \
            MPI_Wait(&request, MPI_STATUS_IGNORE);               \
            expect("MPI_Wait", 1, 0);                            \
        }                                                        \
        MPI_Request_free(&request);                              \
        expect("MPI_Request_free", 1, 0);                        \
    } while (0)
#else
#define RUN_PERSISTENT(name, size, ...)
#endif
#define RUN(name, lower_name, size, ...)               \
    do {                                               \
        if (mode == BLOCKING) {                        \
            MPI_##name(__VA_ARGS__);                   \
            expect_size("MPI_" #name, size, 1);        \
        } else if (mode == NONBLOCKING) {              \
            MPI_Request request;                       \
            MPI_I##lower_name(__VA_ARGS__, &request);  \
            expect_size("MPI_I" #lower_name, size, 1); \
            MPI_Wait(&request, MPI_STATUS_IGNORE);     \
            expect("MPI_Wait", 1, 0);                  \
        } else {                                       \
            RUN_PERSISTENT(name, size, __VA_ARGS__);   \
        }                                              \
    } while (0)

static long long ints(long long count)
{
    return count * (long long)sizeof(int);
}

static void fill(int value)
{
    for (int i = 0; i < LONGEST; i++) {
        in[i] = value;
        out[i] = -1;
    }
}

/* Like fill(), and the output begins with the own contribution, for MPI_IN_PLACE. Not for
 * persistent operations with a running sum: those would sum it up again at each start. */
static void fill_in_place(int value)
{
    fill(value);
    for (int i = 0; i < LONGEST; i++)
        out[i] = value;
}

/* counts[r] = first + r, packed; returns the sum. */
static int count_up(int *c, int *d, int first)
{
    int sum = 0;
    for (int r = 0; r < n; r++) {
        c[r] = first + r;
        d[r] = sum;
        sum += c[r];
    }
    return sum;
}

static void test_bcast_and_reductions(void)
{
    int all = n * (n + 1) / 2; /* ranks contribute r + 1 */
    int root = n - 1;

    RUN(Barrier, barrier, 0, world);
    fill(me);
    RUN(Bcast, bcast, ints(11), in, 11, MPI_INT, root, world);
    CHECK(in[10] == root && in[11] == me);

    fill(me + 1);
    RUN(Reduce, reduce, ints(12), in, out, 12, MPI_INT, MPI_SUM, root, world);
    CHECK(me != root || (out[11] == all && out[12] == -1));
    RUN(Allreduce, allreduce, ints(13), in, out, 13, MPI_INT, MPI_SUM, world);
    CHECK(out[12] == all && out[13] == -1);
    RUN(Scan, scan, ints(14), in, out, 14, MPI_INT, MPI_SUM, world);
    CHECK(out[13] == (me + 1) * (me + 2) / 2);
    RUN(Exscan, exscan, ints(15), in, out, 15, MPI_INT, MPI_SUM, world);
    CHECK(me == 0 || out[14] == me * (me + 1) / 2);

    int sum = count_up(counts, displacements, 2); /* rank r gets r + 2 */
    fill(me + 1);
    RUN(Reduce_scatter, reduce_scatter, ints(sum), in, out, counts, MPI_INT, MPI_SUM, world);
    CHECK(out[me + 1] == all && out[me + 2] == -1);
    RUN(Reduce_scatter_block, reduce_scatter_block, ints(3 * n), in, out, 3, MPI_INT, MPI_SUM,
        world);
    CHECK(out[2] == all);
}

static void test_reductions_in_place(void)
{
    int all = n * (n + 1) / 2;
    int checked = mode != PERSISTENT; /* each start would begin from the last result */

    fill_in_place(me + 1);
    RUN(Reduce, reduce, ints(21), me == 0 ? MPI_IN_PLACE : in, out, 21, MPI_INT, MPI_SUM, 0, world);
    CHECK(!checked || me != 0 || out[20] == all);
    fill_in_place(me + 1);
    RUN(Allreduce, allreduce, ints(22), MPI_IN_PLACE, out, 22, MPI_INT, MPI_SUM, world);
    CHECK(!checked || out[21] == all);
    fill_in_place(me + 1);
    RUN(Scan, scan, ints(23), MPI_IN_PLACE, out, 23, MPI_INT, MPI_SUM, world);
    CHECK(!checked || out[22] == (me + 1) * (me + 2) / 2);
    fill_in_place(me + 1);
    RUN(Exscan, exscan, ints(24), MPI_IN_PLACE, out, 24, MPI_INT, MPI_SUM, world);
    CHECK(!checked || me == 0 || out[23] == me * (me + 1) / 2);
    int sum = count_up(counts, displacements, 3);
    fill_in_place(me + 1);
    RUN(Reduce_scatter, reduce_scatter, ints(sum), MPI_IN_PLACE, out, counts, MPI_INT, MPI_SUM,
        world);
    CHECK(!checked || out[me + 2] == all);
    fill_in_place(me + 1);
    RUN(Reduce_scatter_block, reduce_scatter_block, ints(4 * n), MPI_IN_PLACE, out, 4, MPI_INT,
        MPI_SUM, world);
    CHECK(!checked || out[3] == all);
}

static void test_gather_and_scatter(void)
{
    int root = n > 1 ? 1 : 0;
    int sum = count_up(counts, displacements, 1); /* rank r has r + 1 */

    fill(me);
    RUN(Gather, gather, ints(5), in, 5, MPI_INT, out, 5, MPI_INT, root, world);
    CHECK(me != root || out[5 * n - 1] == n - 1);
    RUN(Gatherv, gatherv, ints(me + 1), in, me + 1, MPI_INT, out, counts, displacements, MPI_INT,
        root, world);
    CHECK(me != root || out[sum - 1] == n - 1);
    for (int i = 0; i < 6 * n; i++)
        in[i] = i / 6;
    if (mode == PERSISTENT)
        starts = 1; /* MPICH 4.0.2 has a defect: MPI_Scatter_init fails at its second start */
    RUN(Scatter, scatter, me == root ? ints(6 * n) : 0, in, 6, MPI_INT, out, 6, MPI_INT, root,
        world);
    CHECK(out[5] == me);
    fill(me == root ? 70 : -2);
    RUN(Scatterv, scatterv, me == root ? ints(sum) : 0, in, counts, displacements, MPI_INT, out,
        me + 1, MPI_INT, root, world);
    CHECK(out[me] == 70 && out[me + 1] == -1);

    /* The root's own block lies where it belongs already. Others may pass what is not significant
     * there. */
    fill(me);
    out[5 * me] = me;
    if (me == root)
        RUN(Gather, gather, ints(5), MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 5, MPI_INT, root,
            world);
    else
        RUN(Gather, gather, ints(5), in, 5, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, root, world);
    CHECK(me != root || out[5 * (n - 1)] == n - 1);
    for (int i = 0; i <= me; i++)
        out[displacements[me] + i] = me;
    if (me == root)
        RUN(Gatherv, gatherv, ints(me + 1), MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts,
            displacements, MPI_INT, root, world);
    else
        RUN(Gatherv, gatherv, ints(me + 1), in, me + 1, MPI_INT, NULL, NULL, NULL,
            MPI_DATATYPE_NULL, root, world);
    CHECK(me != root || out[sum - 1] == n - 1);
    fill(me);
    if (me == root)
        RUN(Scatter, scatter, ints(6 * n), in, 6, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root,
            world);
    else
        RUN(Scatter, scatter, 0, NULL, -1, MPI_DATATYPE_NULL, out, 6, MPI_INT, root, world);
    CHECK(me == root || out[5] == root);
    if (me == root)
        RUN(Scatterv, scatterv, ints(sum), in, counts, displacements, MPI_INT, MPI_IN_PLACE, 0,
            MPI_DATATYPE_NULL, root, world);
    else
        RUN(Scatterv, scatterv, 0, NULL, NULL, NULL, MPI_DATATYPE_NULL, out, me + 1, MPI_INT, root,
            world);
    CHECK(me == root || out[me] == root);
    starts = 3;
}

static void test_allgather(void)
{
    int sum = count_up(counts, displacements, 1);
    fill(me);
    RUN(Allgather, allgather, ints(7), in, 7, MPI_INT, out, 7, MPI_INT, world);
    CHECK(out[7 * n - 1] == n - 1 && out[7 * n] == -1);
    RUN(Allgatherv, allgatherv, ints(me + 1), in, me + 1, MPI_INT, out, counts, displacements,
        MPI_INT, world);
    CHECK(out[sum - 1] == n - 1);

    fill_in_place(me);
    RUN(Allgather, allgather, ints(8), MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 8, MPI_INT, world);
    CHECK(out[8 * n - 1] == n - 1 && out[0] == 0);
    fill_in_place(me);
    RUN(Allgatherv, allgatherv, ints(me + 1), MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts,
        displacements, MPI_INT, world);
    CHECK(out[sum - 1] == n - 1 && out[0] == 0);
}

/* Rank r sends r + d + 1 ints to rank d, and so gets r + s + 1 from rank s: both directions have
 * the same counts. */
static void test_alltoall(void)
{
    int sum = count_up(counts, displacements, me + 1);
    fill(me);
    RUN(Alltoall, alltoall, ints(9 * n), in, 9, MPI_INT, out, 9, MPI_INT, world);
    CHECK(out[9 * n - 1] == n - 1 && out[9 * n] == -1);
    RUN(Alltoallv, alltoallv, ints(sum), in, counts, displacements, MPI_INT, out, counts,
        displacements, MPI_INT, world);
    CHECK(out[0] == 0 && out[sum - 1] == n - 1);

    fill_in_place(me);
    if (mode != PERSISTENT) { /* started again, it would send back what came */
        RUN(Alltoall, alltoall, ints(9 * n), MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 9, MPI_INT,
            world);
        CHECK(out[9 * n - 1] == n - 1 && out[0] == 0);
        fill_in_place(me);
        RUN(Alltoallv, alltoallv, ints(sum), MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out,
            counts, displacements, MPI_INT, world);
        CHECK(out[0] == 0 && out[sum - 1] == n - 1);
    }
}

/* Chars to even ranks, ints to odd ones; displacements are in bytes. */
static void test_alltoallw(void)
{
    MPI_Datatype send_types[64], receive_types[64];
    long long size = 0;
    fill(me);
    for (int r = 0; r < n; r++) {
        send_types[r] = r % 2 ? MPI_INT : MPI_CHAR;
        receive_types[r] = me % 2 ? MPI_INT : MPI_CHAR;
        counts[r] = me + 1;
        other_counts[r] = r + 1;
        displacements[r] = other_displacements[r] = r * 64 * (int)sizeof(int);
        size += (me + 1) * (r % 2 ? (long long)sizeof(int) : 1);
    }
    RUN(Alltoallw, alltoallw, size, in, counts, displacements, send_types, out, other_counts,
        other_displacements, receive_types, world);
    for (int r = 0; r < n; r++)
        CHECK(me % 2 ? out[64 * r + r] == r : memcmp(&out[64 * r], &r, 1) == 0);

    if (mode == PERSISTENT)
        return;
    /* The types must be the same both ways: by the pair's sum. MPICH 4.0.2 has a defect here:
     * MPI_Ialltoallw in place aborts if the types differ. */
    fill_in_place(me);
    size = 0;
    for (int r = 0; r < n; r++) {
        receive_types[r] = (r + me) % 2 || mode == NONBLOCKING ? MPI_INT : MPI_CHAR;
        counts[r] = r + me + 2;
        size += counts[r] * (receive_types[r] == MPI_INT ? (long long)sizeof(int) : 1);
    }
    RUN(Alltoallw, alltoallw, size, MPI_IN_PLACE, NULL, NULL, NULL, out, counts, displacements,
        receive_types, world);
    for (int r = 0; r < n; r++)
        CHECK((r + me) % 2 ? out[64 * r] == r : memcmp(&out[64 * r], &r, 1) == 0);
}

int main(int argc, char **argv)
{
    int modes = MPI_VERSION >= 4 ? 3 : 2;
    truth_begin(&argc, &argv);
    n = truth_ranks;
    me = truth_rank;
    for (int m = 0; m < modes; m++) {
        int failures = truth_failures;
        mode = m;
        test_bcast_and_reductions();
        test_reductions_in_place();
        test_gather_and_scatter();
        test_allgather();
        test_alltoall();
        test_alltoallw();
        if (truth_failures != failures)
            fprintf(stderr, "these were %s\n", mode_names[m]);
    }
    return truth_end();
}
