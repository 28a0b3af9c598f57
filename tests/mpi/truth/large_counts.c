/* Truth: the large-count twins (MPI_Send_c and so on) of an MPI that has them (MPI-4). They are
 * functions of their own.
 */
#include "truth.h"

#if MPI_VERSION >= 4
static const MPI_Comm world = MPI_COMM_WORLD;

static void test_point_to_point(void)
{
    int ints[30] = {0};
    MPI_Request request;
    MPI_Status status;
    MPI_Count count = 0;
    if (truth_rank == 0) {
        ints[19] = 5;
        MPI_Send_c(ints, 20, MPI_INT, 1, 0, world);
        expect_send("MPI_Send_c", 1, 20 * sizeof(int));
        MPI_Isend_c(ints, 20, MPI_INT, 1, 1, world, &request);
        expect_send("MPI_Isend_c", 1, 20 * sizeof(int));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect("MPI_Wait", 1, 0);
    } else if (truth_rank == 1) {
        MPI_Recv_c(ints, 30, MPI_INT, MPI_ANY_SOURCE, 0, world, &status);
        expect_size("MPI_Recv_c", 20 * sizeof(int), 1);
        MPI_Get_count_c(&status, MPI_INT, &count);
        expect("MPI_Get_count_c", 1, 0);
        CHECK(count == 20 && ints[19] == 5);
        MPI_Irecv_c(ints, 30, MPI_INT, 0, 1, world, &request);
        expect_size("MPI_Irecv_c", 20 * sizeof(int), 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect("MPI_Wait", 1, 0);
    }
}

static void test_collectives(void)
{
    int in[64] = {0}, out[64] = {0}, n = truth_ranks;
    MPI_Count counts[16];
    MPI_Aint displacements[16];
    long long sum = 0;
    for (int r = 0; r < n; r++) { /* the same both ways */
        counts[r] = truth_rank + r + 1;
        displacements[r] = sum;
        sum += counts[r];
    }
    for (int i = 0; i < 64; i++)
        in[i] = truth_rank;
    MPI_Alltoallv_c(in, counts, displacements, MPI_INT, out, counts, displacements, MPI_INT, world);
    expect_size("MPI_Alltoallv_c", sum * (long long)sizeof(int), 1);
    CHECK(out[sum - 1] == n - 1);
    MPI_Allreduce_c(in, out, 9, MPI_INT, MPI_SUM, world);
    expect_size("MPI_Allreduce_c", 9 * sizeof(int), 1);
    CHECK(out[8] == n * (n - 1) / 2);
    for (int r = 0; r < n; r++) {
        counts[r] = r + 2;
        displacements[r] = 10 * r;
    }
    MPI_Allgatherv_c(in, truth_rank + 2, MPI_INT, out, counts, displacements, MPI_INT, world);
    expect_size("MPI_Allgatherv_c", (truth_rank + 2) * (long long)sizeof(int), 1);
    CHECK(out[10 * (n - 1) + n] == n - 1);
    MPI_Bcast_c(in, 4, MPI_INT, 1, world);
    expect_size("MPI_Bcast_c", 4 * sizeof(int), 1);
    CHECK(in[3] == 1);
}

/* Every other of 12 ints. MPI_Type_get_envelope must not be asked about such a type: it is an
 * error. */
static void test_datatype(void)
{
    int large[24] = {0};
    MPI_Datatype every_other;
    MPI_Type_vector_c(6, 1, 2, MPI_INT, &every_other);
    expect("MPI_Type_vector_c", 1, 0);
    MPI_Type_commit(&every_other);
    expect("MPI_Type_commit", 1, 0);
    if (truth_rank == 0) {
        MPI_Send_c(large, 2, every_other, 1, 2, world);
        expect_send("MPI_Send_c", 1, 12 * sizeof(int));
    } else if (truth_rank == 1) {
        int twelve[12];
        MPI_Recv_c(twelve, 12, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
        expect_size("MPI_Recv_c", 12 * sizeof(int), 1);
    }
    MPI_Type_free(&every_other);
    expect("MPI_Type_free", 1, 0);
}
#endif

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
#if MPI_VERSION >= 4
    test_point_to_point();
    test_collectives();
    test_datatype();
#endif
    return truth_end();
}
