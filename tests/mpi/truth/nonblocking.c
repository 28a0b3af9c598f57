/* Truth: nonblocking point to point and every way to complete it, with real statuses and with
 * MPI_STATUS(ES)_IGNORE. Rank 0 sends, rank 1 receives. Receives count what arrived, on MPI_Irecv.
 */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;
enum { MANY = 100 };

static void meet(void)
{
    MPI_Barrier(world);
    expect_size("MPI_Barrier", 0, 1);
}

static void check_status(const MPI_Status *status, int tag, int ints)
{
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    expect("MPI_Get_count", 1, 0);
    CHECK(status->MPI_SOURCE == 0 && status->MPI_TAG == tag && count == ints);
}

/* Rank 1 posts `n` receives of up to 50 ints with tags 0.., rank 0 sends k + 1 ints with tag k, by
 * Isend and Waitall. */
static void exchange(int n, MPI_Request *requests, int (*space)[50])
{
    for (int k = 0; k < n && truth_rank == 1; k++) {
        MPI_Irecv(space[k], 50, MPI_INT, k % 2 ? 0 : MPI_ANY_SOURCE, k, world, &requests[k]);
        expect_size("MPI_Irecv", (k + 1) * (long long)sizeof(int), 1);
    }
    for (int k = 0; k < n && truth_rank == 0; k++) {
        space[k][k] = 1000 + k;
        MPI_Isend(space[k], k + 1, MPI_INT, 1, k, world, &requests[k]);
        expect_send("MPI_Isend", 1, (k + 1) * (long long)sizeof(int));
    }
    if (truth_rank == 0) {
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        expect("MPI_Waitall", 1, 0);
    }
}

static void test_modes(void)
{
    MPI_Request requests[4];
    int ints[4][5] = {{0}};
    static char space[1000 + MPI_BSEND_OVERHEAD];
    void *address;
    int bytes;

    for (int k = 0; k < 4 && truth_rank == 1; k++) {
        MPI_Irecv(ints[k], 5, MPI_INT, 0, k, world, &requests[k]);
        expect_size("MPI_Irecv", (k + 2) * (long long)sizeof(int), 1);
    }
    meet(); /* MPI_Irsend needs the receive to be there */
    if (truth_rank == 0) {
        for (int k = 0; k < 4; k++)
            ints[k][k + 1] = 10 + k;
        MPI_Buffer_attach(space, sizeof space);
        expect("MPI_Buffer_attach", 1, 0);
        MPI_Isend(ints[0], 2, MPI_INT, 1, 0, world, &requests[0]);
        expect_send("MPI_Isend", 1, 2 * sizeof(int));
        MPI_Issend(ints[1], 3, MPI_INT, 1, 1, world, &requests[1]);
        expect_send("MPI_Issend", 1, 3 * sizeof(int));
        MPI_Ibsend(ints[2], 4, MPI_INT, 1, 2, world, &requests[2]);
        expect_send("MPI_Ibsend", 1, 4 * sizeof(int));
        MPI_Irsend(ints[3], 5, MPI_INT, 1, 3, world, &requests[3]);
        expect_send("MPI_Irsend", 1, 5 * sizeof(int));
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        expect("MPI_Waitall", 1, 0);
        MPI_Buffer_detach(&address, &bytes);
        expect("MPI_Buffer_detach", 1, 0);
    } else if (truth_rank == 1) {
        MPI_Status statuses[4];
        MPI_Waitall(4, requests, statuses);
        expect("MPI_Waitall", 1, 0);
        for (int k = 0; k < 4; k++) {
            check_status(&statuses[k], k, k + 2);
            CHECK(ints[k][k + 1] == 10 + k && requests[k] == MPI_REQUEST_NULL);
        }
    }
}

static void complete_one_by_one(MPI_Request *requests, int with_status)
{
    MPI_Status status;
    for (int k = 3; k >= 0; k--) { /* the other order */
        if (k % 2 == 0) {
            MPI_Wait(&requests[k], with_status ? &status : MPI_STATUS_IGNORE);
            expect("MPI_Wait", 1, 0);
        } else {
            int done = 0;
            while (!done) {
                MPI_Test(&requests[k], &done, with_status ? &status : MPI_STATUS_IGNORE);
                expect("MPI_Test", 1, 0);
            }
        }
        if (with_status)
            check_status(&status, k, k + 1);
    }
}

static void complete_any(MPI_Request *requests, int with_status)
{
    MPI_Status status;
    int seen[4] = {0}, index;
    for (int left = 4; left > 2; left--) {
        MPI_Waitany(4, requests, &index, with_status ? &status : MPI_STATUS_IGNORE);
        expect("MPI_Waitany", 1, 0);
        seen[index]++;
        if (with_status)
            check_status(&status, index, index + 1);
    }
    for (int left = 2; left > 0;) {
        int done = 0;
        MPI_Testany(4, requests, &index, &done, with_status ? &status : MPI_STATUS_IGNORE);
        expect("MPI_Testany", 1, 0);
        if (done) {
            seen[index]++;
            left--;
            if (with_status)
                check_status(&status, index, index + 1);
        }
    }
    for (int k = 0; k < 4; k++)
        CHECK(seen[k] == 1);
    MPI_Waitany(4, requests, &index, &status); /* nothing is left */
    expect("MPI_Waitany", 1, 0);
    CHECK(index == MPI_UNDEFINED);
}

static void complete_some(MPI_Request *requests, int with_status)
{
    MPI_Status statuses[4];
    int indices[4], seen[4] = {0}, left = 4;
    for (int turn = 0; left > 0; turn++) {
        int count = 0;
        if (turn == 0) {
            MPI_Waitsome(4, requests, &count, indices,
                         with_status ? statuses : MPI_STATUSES_IGNORE);
            expect("MPI_Waitsome", 1, 0);
        } else {
            MPI_Testsome(4, requests, &count, indices,
                         with_status ? statuses : MPI_STATUSES_IGNORE);
            expect("MPI_Testsome", 1, 0);
        }
        for (int i = 0; i < count; i++) {
            seen[indices[i]]++;
            if (with_status)
                check_status(&statuses[i], indices[i], indices[i] + 1);
        }
        left -= count;
    }
    for (int k = 0; k < 4; k++)
        CHECK(seen[k] == 1);
}

static void complete_all(MPI_Request *requests, int with_status)
{
    MPI_Status statuses[4];
    int done = 0;
    while (!done) {
        MPI_Testall(4, requests, &done, with_status ? statuses : MPI_STATUSES_IGNORE);
        expect("MPI_Testall", 1, 0);
    }
    for (int k = 0; k < 4 && with_status; k++)
        check_status(&statuses[k], k, k + 1);
}

static void test_completions(void)
{
    void (*const ways[])(MPI_Request *, int) = {complete_one_by_one, complete_any, complete_some,
                                                complete_all};
    for (int way = 0; way < 8; way++) {
        MPI_Request requests[4];
        int space[4][50] = {{0}};
        exchange(4, requests, space);
        if (truth_rank == 1) {
            ways[way / 2](requests, way % 2);
            for (int k = 0; k < 4; k++)
                CHECK(space[k][k] == 1000 + k && requests[k] == MPI_REQUEST_NULL);
        }
    }
}

/* More requests than any small buffer holds, of several kinds, with holes. */
static void test_many(int with_statuses)
{
    static MPI_Request requests[MANY + 3];
    static MPI_Status statuses[MANY + 3];
    static int values[MANY];
    int sum = 0;
    for (int k = 0; k < MANY; k++) {
        values[k] = truth_rank == 0 ? k : -1;
        if (truth_rank == 0) {
            MPI_Isend(&values[k], 1, MPI_INT, 1, k, world, &requests[k]);
            expect_send("MPI_Isend", 1, sizeof(int));
        } else if (truth_rank == 1) {
            MPI_Irecv(&values[k], 1, MPI_INT, MPI_ANY_SOURCE, k, world, &requests[k]);
            expect_size("MPI_Irecv", sizeof(int), 1);
        } else {
            requests[k] = MPI_REQUEST_NULL;
        }
    }
    requests[MANY] = MPI_REQUEST_NULL;
    MPI_Ibarrier(world, &requests[MANY + 1]);
    expect_size("MPI_Ibarrier", 0, 1);
    MPI_Iallreduce(&truth_rank, &sum, 1, MPI_INT, MPI_SUM, world, &requests[MANY + 2]);
    expect_size("MPI_Iallreduce", sizeof(int), 1);
    MPI_Waitall(MANY + 3, requests, with_statuses ? statuses : MPI_STATUSES_IGNORE);
    expect("MPI_Waitall", 1, 0);
    CHECK(sum == truth_ranks * (truth_ranks - 1) / 2);
    for (int k = 0; k < MANY && truth_rank == 1; k++) {
        CHECK(values[k] == k);
        if (with_statuses)
            check_status(&statuses[k], k, 1);
    }
}

static void test_cancel_and_free(void)
{
    MPI_Request request;
    MPI_Status status;
    int value = 3, cancelled = 0, done = 0;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 999, world, &request); /* nobody sends this */
    expect("MPI_Irecv", 1, 0);
    MPI_Cancel(&request);
    expect("MPI_Cancel", 1, 0);
    MPI_Wait(&request, &status);
    expect("MPI_Wait", 1, 0);
    MPI_Test_cancelled(&status, &cancelled);
    expect("MPI_Test_cancelled", 1, 0);
    CHECK(cancelled && value == 3);

    if (truth_rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 5, world, &request);
        expect_send("MPI_Isend", 1, sizeof(int));
        MPI_Request_free(&request);
        expect("MPI_Request_free", 1, 0);
        CHECK(request == MPI_REQUEST_NULL);
    } else if (truth_rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 5, world, &request);
        expect_size("MPI_Irecv", sizeof(int), 1);
        while (!done) { /* looks, but does not complete */
            MPI_Request_get_status(request, &done, &status);
            expect("MPI_Request_get_status", 1, 0);
        }
        check_status(&status, 5, 1);
        MPI_Wait(&request, &status);
        expect("MPI_Wait", 1, 0);
        check_status(&status, 5, 1);
    }
    meet(); /* the freed send has arrived: `value` may go */
}

static void test_nothing_to_send(void)
{
    MPI_Request requests[4];
    int value = 8;
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &requests[0]);
    expect_size("MPI_Isend", 0, 1);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &requests[1]);
    expect("MPI_Irecv", 1, 0);
    MPI_Isend(&value, 0, MPI_INT, truth_rank, 6, world, &requests[2]);
    expect_send("MPI_Isend", truth_rank, 0);
    MPI_Irecv(&value, 1, MPI_INT, truth_rank, 6, world, &requests[3]);
    expect("MPI_Irecv", 1, 0);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    expect("MPI_Waitall", 1, 0);
    CHECK(value == 8);
}

#if MPI_VERSION >= 4
enum { ACROSS_TAG = 7 };

/* The status says what came. MPICH 4 and 5 give one that nobody has written to: what was not asked
 * for tells nothing. */
static void expect_arrived(const char *function, MPI_Request *request, int source, long long size)
{
    MPI_Status status;
    int bytes = -1;
    MPI_Wait(request, &status);
    expect("MPI_Wait", 1, 0);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    expect("MPI_Get_count", 1, 0);
    if (status.MPI_SOURCE == source && status.MPI_TAG == ACROSS_TAG && bytes == size)
        expect_received(function, bytes);
}

static void test_isendrecv(void)
{
    int next = (truth_rank + 1) % truth_ranks;
    int previous = (truth_rank + truth_ranks - 1) % truth_ranks;
    int mine[2] = {truth_rank, truth_rank}, other[9] = {0};
    MPI_Request request;
    MPI_Isendrecv(mine, 2, MPI_INT, next, ACROSS_TAG, other, 9, MPI_INT, previous, ACROSS_TAG,
                  world, &request);
    expect_send("MPI_Isendrecv", next, 2 * sizeof(int));
    expect_arrived("MPI_Isendrecv", &request, previous, 2 * sizeof(int));
    CHECK(other[1] == previous);
    MPI_Isendrecv_replace(mine, 1, MPI_INT, next, ACROSS_TAG, previous, ACROSS_TAG, world,
                          &request);
    expect_send("MPI_Isendrecv_replace", next, sizeof(int));
    expect_arrived("MPI_Isendrecv_replace", &request, previous, sizeof(int));
    CHECK(mine[0] == previous && mine[1] == truth_rank);
}
#endif

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    test_modes();
    test_completions();
    test_many(0);
    test_many(1);
    test_cancel_and_free();
    test_nothing_to_send();
#if MPI_VERSION >= 4
    test_isendrecv();
#endif
    return truth_end();
}
