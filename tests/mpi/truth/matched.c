/* Truth: matched probes and receives. Rank 0 sends, rank 1 receives. A probe has 0 bytes. */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;
enum { COUNT = 6 };

static void receive_by_mrecv(int count, int *ints)
{
    MPI_Message message;
    MPI_Status status;
    int came = -1;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, &status);
    expect("MPI_Mprobe", 1, 0);
    MPI_Get_count(&status, MPI_INT, &came);
    expect("MPI_Get_count", 1, 0);
    CHECK(came == count && status.MPI_SOURCE == 0 && status.MPI_TAG == count);
    MPI_Mrecv(ints, 50, MPI_INT, &message, count % 4 ? &status : MPI_STATUS_IGNORE);
    expect_size("MPI_Mrecv", count * (long long)sizeof(int), 1);
    CHECK(message == MPI_MESSAGE_NULL);
}

static void receive_by_imrecv(int count, int *ints)
{
    MPI_Message message;
    MPI_Request request;
    int there = 0;
    while (!there) {
        MPI_Improbe(0, count, world, &there, &message, MPI_STATUS_IGNORE);
        expect("MPI_Improbe", 1, 0);
    }
    MPI_Imrecv(ints, 50, MPI_INT, &message, &request);
    expect_size("MPI_Imrecv", count * (long long)sizeof(int), 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
}

static void test_proc_null(void)
{
    MPI_Message message;
    MPI_Request request;
    int value = 4, there = 0;
    MPI_Mprobe(MPI_PROC_NULL, 0, world, &message, MPI_STATUS_IGNORE);
    expect("MPI_Mprobe", 1, 0);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    expect_size("MPI_Mrecv", 0, 1);
    MPI_Improbe(MPI_PROC_NULL, 0, world, &there, &message, MPI_STATUS_IGNORE);
    expect("MPI_Improbe", 1, 0);
    CHECK(there && message == MPI_MESSAGE_NO_PROC);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    expect("MPI_Imrecv", 1, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    CHECK(value == 4);
}

int main(int argc, char **argv)
{
    int ints[50] = {0};
    truth_begin(&argc, &argv);
    for (int count = 1; count <= COUNT && truth_rank == 0; count++) {
        ints[count - 1] = 50 + count;
        MPI_Send(ints, count, MPI_INT, 1, count, world);
        expect_send("MPI_Send", 1, count * (long long)sizeof(int));
    }
    for (int count = 1; count <= COUNT && truth_rank == 1; count++) {
        if (count % 2 == 0)
            receive_by_mrecv(count, ints);
        else
            receive_by_imrecv(count, ints);
        CHECK(ints[count - 1] == 50 + count);
    }
    test_proc_null();
    return truth_end();
}
