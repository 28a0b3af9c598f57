/* Truth: calls that are made so often that mprof reads the clock at only a part of them. Their
 * counts are exact. So are the counts of the messages that arrive in the middle, with and without
 * statuses. */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;
enum { ROUNDS = 40, POLLS = 3000 };

/* In a row, from one line. */
static void test_look_ups(void)
{
    int rank, found;
    double sum = 0;
    for (int i = 0; i < ROUNDS * POLLS; i++) {
        MPI_Comm_rank(world, &rank);
        sum += rank;
    }
    expect("MPI_Comm_rank", ROUNDS * POLLS, 0);
    CHECK(sum == (double)ROUNDS * POLLS * truth_rank);
    for (int i = 0; i < ROUNDS * POLLS; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &found, MPI_STATUS_IGNORE);
        sum += found;
        sum += MPI_Wtime() < 0;
    }
    expect("MPI_Iprobe", ROUNDS * POLLS, 0);
    expect("MPI_Wtime", ROUNDS * POLLS, 0);
    CHECK(sum == (double)ROUNDS * POLLS * truth_rank);
}

/* Rank 0 sends to rank 1 when that has polled in vain for a while. */
static void test_arrivals(void)
{
    for (int round = 0; round < ROUNDS && truth_rank < 2; round++) {
        int ints[8] = {0}, go = 0, done = 0, index = -1;
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Status status;
        long long polls = 0;
        if (truth_rank == 0) {
            MPI_Recv(&go, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
            expect_size("MPI_Recv", sizeof go, 1);
            MPI_Send(ints, 1 + round % 8, MPI_INT, 1, 2, world);
            expect_send("MPI_Send", 1, (1 + round % 8) * (long long)sizeof(int));
            continue;
        }
        MPI_Irecv(ints, 8, MPI_INT, 0, 2, world, &requests[0]);
        expect_size("MPI_Irecv", (1 + round % 8) * (long long)sizeof(int), 1);
        int which = round % 4;
        while (!done) {
            if (polls++ == POLLS) {
                MPI_Send(&go, 1, MPI_INT, 0, 1, world);
                expect_send("MPI_Send", 0, sizeof go);
            }
            if (which == 0)
                MPI_Test(requests, &done, MPI_STATUS_IGNORE);
            else if (which == 1)
                MPI_Test(requests, &done, &status);
            else if (which == 2)
                MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
            else
                MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE);
        }
        expect(which < 2 ? "MPI_Test" : which == 2 ? "MPI_Testall" : "MPI_Testany", polls, 0);
        CHECK(requests[0] == MPI_REQUEST_NULL);
        if (which == 1) {
            int count;
            MPI_Get_count(&status, MPI_INT, &count);
            expect("MPI_Get_count", 1, 0);
            CHECK(count == 1 + round % 8 && status.MPI_SOURCE == 0 && status.MPI_TAG == 2);
        }
    }
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    test_look_ups();
    test_arrivals();
    return truth_end();
}
