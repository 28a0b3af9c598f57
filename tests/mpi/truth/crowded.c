/* Truth: more of everything than tables like. There are thousands of message sizes, of pending
 * requests, of communicators and of types at once. The requests complete in any order and by calls
 * with thousands of requests. With little memory (MPROF_MEMORY) details may be lost, but the totals
 * stay exact. */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;
enum { SIZES = 4000, PENDING = 6000, COMMUNICATORS = 200, TYPES = 3000 };

static void test_sizes(void)
{
    static char bytes[SIZES];
    for (int size = 0; size < SIZES; size++) {
        if (truth_rank == 0) {
            MPI_Send(bytes, size, MPI_CHAR, 1, 0, world);
            expect_send("MPI_Send", 1, size);
        } else if (truth_rank == 1) {
            MPI_Recv(bytes, SIZES, MPI_CHAR, 0, 0, world, MPI_STATUS_IGNORE);
            expect_size("MPI_Recv", size, 1);
        }
    }
}

/* Every third one is waited for alone, from the last to the first; the others by one call. */
static void test_pending(void)
{
    static MPI_Request requests[PENDING];
    static int values[PENDING];
    for (int k = 0; k < PENDING; k++) {
        values[k] = truth_rank == 0 ? k : -1;
        if (truth_rank == 1)
            MPI_Irecv(&values[k], 1, MPI_INT, 0, k, world, &requests[k]);
    }
    MPI_Barrier(world);
    expect_size("MPI_Barrier", 0, 1);
    for (int k = 0; k < PENDING && truth_rank == 0; k++)
        MPI_Isend(&values[k], 1, MPI_INT, 1, k, world, &requests[k]);
    for (int k = PENDING - 1; k >= 0; k -= 3) {
        MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
        expect("MPI_Wait", 1, 0);
    }
    MPI_Waitall(PENDING, requests, MPI_STATUSES_IGNORE);
    expect("MPI_Waitall", 1, 0);
    expect_size(truth_rank == 0 ? "MPI_Isend" : "MPI_Irecv", sizeof(int), PENDING);
    if (truth_rank == 0)
        expect_message(0, 1, PENDING, PENDING * sizeof(int));
    for (int k = 0; k < PENDING; k++)
        CHECK(values[k] == k);
}

static void test_communicators(void)
{
    static MPI_Comm comms[COMMUNICATORS];
    for (int i = 0; i < COMMUNICATORS; i++) {
        MPI_Comm_split(world, 0, i % 2 ? -truth_rank : truth_rank, &comms[i]);
        expect("MPI_Comm_split", 1, 0);
    }
    for (int i = COMMUNICATORS - 1; i >= 0; i--) {
        int partner = i % 2 ? truth_rank : 1 - truth_rank, value = -1; /* ranks are reversed */
        MPI_Sendrecv(&i, 1, MPI_INT, partner, 0, &value, 1, MPI_INT, partner, 0, comms[i],
                     MPI_STATUS_IGNORE);
        expect_send("MPI_Sendrecv", 1 - truth_rank, sizeof(int));
        expect_received("MPI_Sendrecv", sizeof(int));
        CHECK(value == i);
        MPI_Comm_free(&comms[i]);
        expect("MPI_Comm_free", 1, 0);
    }
}

static void test_types(void)
{
    static MPI_Datatype types[TYPES];
    static short space[TYPES + 1];
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_contiguous(i + 1, MPI_SHORT, &types[i]);
        expect("MPI_Type_contiguous", 1, 0);
        MPI_Type_commit(&types[i]);
        expect("MPI_Type_commit", 1, 0);
    }
    for (int i = 0; i < TYPES; i += 10) {
        MPI_Bcast(space, 1, types[i], 0, world);
        expect_size("MPI_Bcast", (i + 1) * (long long)sizeof(short), 1);
    }
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_free(&types[i]);
        expect("MPI_Type_free", 1, 0);
    }
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    CHECK(truth_ranks == 2);
    test_sizes();
    test_pending();
    test_communicators();
    test_types();
    return truth_end();
}
