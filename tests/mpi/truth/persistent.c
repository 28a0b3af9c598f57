/* Truth: persistent and partitioned point to point. The call that made the request gets the bytes
 * of all its starts. Rank 0 sends, rank 1 receives.
 */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;
enum { STARTS = 10 };

static void make_sends(MPI_Request *requests, int (*space)[6])
{
    static char buffer[STARTS * (100 + MPI_BSEND_OVERHEAD)];
    MPI_Buffer_attach(buffer, sizeof buffer);
    expect("MPI_Buffer_attach", 1, 0);
    MPI_Send_init(space[0], 3, MPI_INT, 1, 0, world, &requests[0]);
    expect("MPI_Send_init", 1, 0);
    MPI_Ssend_init(space[1], 4, MPI_INT, 1, 1, world, &requests[1]);
    expect("MPI_Ssend_init", 1, 0);
    MPI_Bsend_init(space[2], 5, MPI_INT, 1, 2, world, &requests[2]);
    expect("MPI_Bsend_init", 1, 0);
    MPI_Rsend_init(space[3], 6, MPI_INT, 1, 3, world, &requests[3]);
    expect("MPI_Rsend_init", 1, 0);
}

static void expect_started_sends(void)
{
    const char *names[] = {"MPI_Send_init", "MPI_Ssend_init", "MPI_Bsend_init", "MPI_Rsend_init"};
    for (int k = 0; k < 4; k++) {
        long long size = (k + 3) * (long long)sizeof(int);
        expect_transfers(names[k], size, STARTS);
        expect_message(0, 1, STARTS, STARTS * size);
    }
}

static void start_all(MPI_Request *requests, int one_call)
{
    if (one_call) {
        MPI_Startall(4, requests);
        expect("MPI_Startall", 1, 0);
        return;
    }
    for (int k = 0; k < 4; k++) {
        MPI_Start(&requests[k]);
        expect("MPI_Start", 1, 0);
    }
}

/* Four requests, started ten times, now by MPI_Start, now by MPI_Startall; a request that is not
 * active is waited for too. */
static void test_reuse(void)
{
    MPI_Request requests[4];
    MPI_Status status;
    int space[4][6] = {{0}};
    int sends = truth_rank == 0;
    if (truth_rank > 1)
        return;
    if (sends)
        make_sends(requests, space);
    for (int k = 0; k < 4 && !sends; k++) {
        MPI_Recv_init(space[k], 6, MPI_INT, 0, k, world, &requests[k]);
        expect("MPI_Recv_init", 1, 0);
        expect_transfers("MPI_Recv_init", (k + 3) * (long long)sizeof(int), STARTS);
    }
    if (sends)
        expect_started_sends();
    MPI_Wait(&requests[0], &status); /* inactive: done at once, nothing arrives */
    expect("MPI_Wait", 1, 0);
    for (int turn = 0; turn < STARTS; turn++) {
        if (!sends)
            start_all(requests, turn % 2);
        /* now the receives are there, as ready mode demands */
        MPI_Sendrecv(NULL, 0, MPI_INT, 1 - truth_rank, 8, NULL, 0, MPI_INT, 1 - truth_rank, 8,
                     world, MPI_STATUS_IGNORE);
        expect_send("MPI_Sendrecv", 1 - truth_rank, 0);
        for (int k = 0; k < 4 && sends; k++)
            space[k][k + 2] = 100 * turn + k;
        if (sends)
            start_all(requests, turn % 2);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        expect("MPI_Waitall", 1, 0);
        for (int k = 0; k < 4; k++)
            CHECK(space[k][k + 2] == 100 * turn + k && requests[k] != MPI_REQUEST_NULL);
    }
    for (int k = 0; k < 4; k++) {
        MPI_Request_free(&requests[k]);
        expect("MPI_Request_free", 1, 0);
    }
    if (sends) {
        void *address;
        int bytes;
        MPI_Buffer_detach(&address, &bytes);
        expect("MPI_Buffer_detach", 1, 0);
    }
}

/* One persistent receive gets messages of ten different sizes; some are completed by MPI_Test. */
static void test_sizes(void)
{
    int ints[STARTS] = {0};
    if (truth_rank == 0) {
        for (int count = 1; count <= STARTS; count++) {
            ints[count - 1] = count;
            MPI_Send(ints, count, MPI_INT, 1, 20, world);
            expect_send("MPI_Send", 1, count * (long long)sizeof(int));
        }
    } else if (truth_rank == 1) {
        MPI_Request request;
        MPI_Recv_init(ints, STARTS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
        expect("MPI_Recv_init", 1, 0);
        for (int count = 1; count <= STARTS; count++) {
            MPI_Status status;
            int came = 0, done = 0;
            MPI_Start(&request);
            expect("MPI_Start", 1, 0);
            while (count % 2 == 0 && !done) {
                MPI_Test(&request, &done, &status);
                expect("MPI_Test", 1, 0);
            }
            if (count % 2 != 0) {
                MPI_Wait(&request, &status);
                expect("MPI_Wait", 1, 0);
            }
            expect_transfers("MPI_Recv_init", count * (long long)sizeof(int), 1);
            MPI_Get_count(&status, MPI_INT, &came);
            expect("MPI_Get_count", 1, 0);
            CHECK(came == count && status.MPI_SOURCE == 0 && ints[count - 1] == count);
        }
        MPI_Request_free(&request);
        expect("MPI_Request_free", 1, 0);
    }
}

/* Started three times towards nobody. */
static void test_proc_null(void)
{
    MPI_Request requests[2];
    int value = 1;
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &requests[0]);
    expect("MPI_Send_init", 1, 0);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &requests[1]);
    expect("MPI_Recv_init", 1, 0);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Startall(2, requests);
        expect("MPI_Startall", 1, 0);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        expect("MPI_Waitall", 1, 0);
    }
    for (int k = 0; k < 2; k++) {
        MPI_Request_free(&requests[k]);
        expect("MPI_Request_free", 1, 0);
    }
}

#if MPI_VERSION >= 4
/* Four partitions of five ints, sent three times. */
static void test_partitioned(void)
{
    MPI_Request request;
    int space[4][5] = {{0}};
    if (truth_rank > 1)
        return;
    if (truth_rank == 0) {
        MPI_Psend_init(space, 4, 5, MPI_INT, 1, 30, world, MPI_INFO_NULL, &request);
        expect("MPI_Psend_init", 1, 0);
        expect_transfers("MPI_Psend_init", 4 * 5 * sizeof(int), 3);
        expect_message(0, 1, 3, 3 * 4 * 5 * sizeof(int));
    } else {
        MPI_Precv_init(space, 4, 5, MPI_INT, 0, 30, world, MPI_INFO_NULL, &request);
        expect("MPI_Precv_init", 1, 0);
        expect_transfers("MPI_Precv_init", 4 * 5 * sizeof(int), 3);
    }
    for (int turn = 0; turn < 3; turn++) {
        MPI_Start(&request);
        expect("MPI_Start", 1, 0);
        for (int k = 3; k >= 0 && truth_rank == 0; k--) {
            space[k][4] = 10 * turn + k;
            MPI_Pready(k, request);
            expect("MPI_Pready", 1, 0);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect("MPI_Wait", 1, 0);
        for (int k = 0; k < 4; k++)
            CHECK(space[k][4] == 10 * turn + k);
    }
    MPI_Request_free(&request);
    expect("MPI_Request_free", 1, 0);
}
#endif

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    test_reuse();
    test_sizes();
    test_proc_null();
#if MPI_VERSION >= 4
    test_partitioned();
#endif
    return truth_end();
}
