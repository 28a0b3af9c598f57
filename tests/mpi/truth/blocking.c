/* Truth: blocking point to point: every send mode, probes, short receives, wildcards, empty
 * messages and MPI_PROC_NULL. Ranks 0 and 1 talk to each other; the ring and the line at the end
 * are for all ranks.
 */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;

static void receive(void *buffer, int count, MPI_Datatype type, int tag, long long size)
{
    MPI_Recv(buffer, count, type, 0, tag, world, MPI_STATUS_IGNORE);
    expect_size("MPI_Recv", size, 1);
}

static void test_modes(void)
{
    int ints[10] = {0};
    double doubles[7] = {0};
    char bytes[5] = {0}, *attached = NULL;
    int attached_bytes = 0;

    if (truth_rank == 0) {
        char *space = malloc(1000 + MPI_BSEND_OVERHEAD);
        ints[9] = 99;
        doubles[6] = 0.5;
        bytes[4] = 'x';
        MPI_Send(ints, 10, MPI_INT, 1, 1, world);
        expect_send("MPI_Send", 1, 10 * sizeof(int));
        MPI_Ssend(doubles, 7, MPI_DOUBLE, 1, 2, world);
        expect_send("MPI_Ssend", 1, 7 * sizeof(double));
        MPI_Buffer_attach(space, 1000 + MPI_BSEND_OVERHEAD);
        expect("MPI_Buffer_attach", 1, 0);
        MPI_Bsend(bytes, 5, MPI_CHAR, 1, 3, world);
        expect_send("MPI_Bsend", 1, 5);
        MPI_Buffer_detach(&attached, &attached_bytes);
        expect("MPI_Buffer_detach", 1, 0);
        CHECK(attached == space && attached_bytes == 1000 + MPI_BSEND_OVERHEAD);
        free(space);
        MPI_Recv(NULL, 0, MPI_INT, 1, 4, world, MPI_STATUS_IGNORE); /* the receive is posted */
        expect_size("MPI_Recv", 0, 1);
        MPI_Rsend(ints, 3, MPI_INT, 1, 5, world);
        expect_send("MPI_Rsend", 1, 3 * sizeof(int));
    } else if (truth_rank == 1) {
        MPI_Request request;
        int three[3] = {7, 7, 7};
        receive(ints, 10, MPI_INT, 1, 10 * sizeof(int));
        CHECK(ints[9] == 99);
        receive(doubles, 7, MPI_DOUBLE, 2, 7 * sizeof(double));
        CHECK(doubles[6] == 0.5);
        receive(bytes, 5, MPI_CHAR, 3, 5);
        CHECK(bytes[4] == 'x');
        MPI_Irecv(three, 3, MPI_INT, 0, 5, world, &request);
        expect_size("MPI_Irecv", 3 * sizeof(int), 1);
        MPI_Send(NULL, 0, MPI_INT, 0, 4, world);
        expect_send("MPI_Send", 0, 0);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect("MPI_Wait", 1, 0);
        CHECK(three[0] == 0 && three[2] == 0);
    }
}

/* What arrives is counted, not what was posted. */
static void test_short_receives(void)
{
    int ints[100] = {0};
    if (truth_rank == 0) {
        for (int count = 0; count < 20; count++) {
            ints[0] = count;
            MPI_Send(ints, count, MPI_INT, 1, 100 + count, world);
            expect_send("MPI_Send", 1, count * (long long)sizeof(int));
        }
    } else if (truth_rank == 1) {
        for (int count = 0; count < 20; count++) {
            MPI_Status status;
            int came = -1;
            if (count % 2 == 0) {
                MPI_Recv(ints, 100, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
            } else {
                memset(&status, 0, sizeof status);
                MPI_Recv(ints, 100, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
                CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 100 + count);
                MPI_Get_count(&status, MPI_INT, &came);
                expect("MPI_Get_count", 1, 0);
                CHECK(came == count);
            }
            expect_size("MPI_Recv", count * (long long)sizeof(int), 1);
            CHECK(count == 0 || ints[0] == count);
        }
    }
}

static void test_probes(void)
{
    char bytes[64] = {0};
    if (truth_rank == 0) {
        MPI_Send(bytes, 33, MPI_BYTE, 1, 7, world);
        expect_send("MPI_Send", 1, 33);
    } else if (truth_rank == 1) {
        MPI_Status status;
        int count = 0, there = 0;
        MPI_Probe(MPI_ANY_SOURCE, 7, world, &status);
        expect("MPI_Probe", 1, 0);
        MPI_Get_count(&status, MPI_BYTE, &count);
        expect("MPI_Get_count", 1, 0);
        CHECK(count == 33 && status.MPI_SOURCE == 0);
        MPI_Iprobe(0, 7, world, &there, MPI_STATUS_IGNORE);
        expect("MPI_Iprobe", 1, 0);
        CHECK(there);
        receive(bytes, 64, MPI_BYTE, 7, 33);
        MPI_Iprobe(0, 8, world, &there, &status);
        expect("MPI_Iprobe", 1, 0);
        CHECK(!there);
    }
}

static void test_proc_null(void)
{
    MPI_Status status;
    int value = 5, count = -1;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world);
    expect_size("MPI_Send", 0, 1);
    MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world);
    expect_size("MPI_Ssend", 0, 1);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &status);
    expect_size("MPI_Recv", 0, 1);
    CHECK(value == 5 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Get_count(&status, MPI_INT, &count);
    expect("MPI_Get_count", 1, 0);
    CHECK(count == 0);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
    expect_size("MPI_Recv", 0, 1);
    MPI_Probe(MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
    expect("MPI_Probe", 1, 0);
}

static void test_sendrecv(void)
{
    int next = (truth_rank + 1) % truth_ranks;
    int previous = (truth_rank + truth_ranks - 1) % truth_ranks;
    int up = truth_rank + 1 < truth_ranks ? truth_rank + 1 : MPI_PROC_NULL;
    int down = truth_rank > 0 ? truth_rank - 1 : MPI_PROC_NULL;
    int mine[8] = {truth_rank, truth_rank}, other[8] = {-1, -1};
    MPI_Status status;

    /* The ring: rank r sends r + 1 ints. */
    MPI_Sendrecv(mine, truth_rank + 1, MPI_INT, next, 1, other, 8, MPI_INT, previous, 1, world,
                 MPI_STATUS_IGNORE);
    expect_send("MPI_Sendrecv", next, (truth_rank + 1) * (long long)sizeof(int));
    expect_received("MPI_Sendrecv", (previous + 1) * (long long)sizeof(int));
    CHECK(other[0] == previous);

    MPI_Sendrecv_replace(mine, 2, MPI_INT, next, 2, previous, 2, world, &status);
    expect_send("MPI_Sendrecv_replace", next, 2 * sizeof(int));
    expect_received("MPI_Sendrecv_replace", 2 * sizeof(int));
    CHECK(mine[0] == previous && mine[1] == previous && status.MPI_SOURCE == previous);

    /* The line: its ends have MPI_PROC_NULL for a neighbour. */
    other[0] = -1;
    MPI_Sendrecv(&truth_rank, 1, MPI_INT, up, 3, other, 1, MPI_INT, down, 3, world, &status);
    if (up != MPI_PROC_NULL)
        expect_send("MPI_Sendrecv", up, sizeof(int));
    else
        expect_size("MPI_Sendrecv", 0, 1);
    if (down != MPI_PROC_NULL)
        expect_received("MPI_Sendrecv", sizeof(int));
    CHECK(status.MPI_SOURCE == down && other[0] == (down == MPI_PROC_NULL ? -1 : down));

    /* To itself. */
    MPI_Sendrecv(&truth_rank, 1, MPI_INT, truth_rank, 4, other, 1, MPI_INT, MPI_ANY_SOURCE,
                 MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    expect_send("MPI_Sendrecv", truth_rank, sizeof(int));
    expect_received("MPI_Sendrecv", sizeof(int));
    CHECK(other[0] == truth_rank);
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    test_modes();
    test_short_receives();
    test_probes();
    test_proc_null();
    test_sendrecv();
    return truth_end();
}
