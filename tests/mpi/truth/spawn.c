/* Truth: worlds. The two ranks start two more processes, which are an MPI_COMM_WORLD of their own.
 * They talk with them over the intercommunicator and over a communicator merged from it. The
 * children write child-<rank>.json. See run_spawn.py.
 *
 * Messages to the other world have no rank to be counted under: expect_outside(). */
#include "truth.h"

enum { CHILDREN = 2 };

/* Rank k of one side sends to rank k of the other and hears from it, k + 1 ints and k + 3. */
static void talk(MPI_Comm inter, int parent)
{
    int sent = truth_rank + (parent ? 1 : 3), came = truth_rank + (parent ? 3 : 1);
    int out[8] = {10 + truth_rank}, in[8] = {0}, sum = 0;
    MPI_Request request;
    MPI_Sendrecv(out, sent, MPI_INT, truth_rank, 1, in, 8, MPI_INT, MPI_ANY_SOURCE, 1, inter,
                 MPI_STATUS_IGNORE);
    expect_size("MPI_Sendrecv", sent * (long long)sizeof(int), 1);
    expect_outside(1, sent * (long long)sizeof(int));
    expect_received("MPI_Sendrecv", came * (long long)sizeof(int));
    CHECK(in[0] == 10 + truth_rank);
    MPI_Irecv(in, 8, MPI_INT, truth_rank, 2, inter, &request);
    expect_size("MPI_Irecv", came * (long long)sizeof(int), 1);
    MPI_Send(out, sent, MPI_INT, truth_rank, 2, inter);
    expect_size("MPI_Send", sent * (long long)sizeof(int), 1);
    expect_outside(1, sent * (long long)sizeof(int));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    out[0] = parent ? 1 : 100;
    MPI_Allreduce(out, &sum, 1, MPI_INT, MPI_SUM, inter); /* the other side's sum */
    expect_size("MPI_Allreduce", sizeof(int), 1);
    CHECK(sum == (parent ? CHILDREN * 100 : truth_ranks));
    int root = !parent ? 0 : truth_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(out, 2, MPI_INT, root, inter);
    expect_size("MPI_Bcast", root == MPI_PROC_NULL ? 0 : 2 * sizeof(int), 1);
    CHECK(out[0] == 1 || truth_rank != 0);
}

/* Everybody in one communicator, the parents first: a ring, partly in this world. */
static void ring(MPI_Comm inter, int parent)
{
    MPI_Comm merged;
    int rank = -1, size = 0, got = -1;
    MPI_Intercomm_merge(inter, !parent, &merged);
    expect("MPI_Intercomm_merge", 1, 0);
    MPI_Comm_rank(merged, &rank);
    expect("MPI_Comm_rank", 1, 0);
    MPI_Comm_size(merged, &size);
    expect("MPI_Comm_size", 1, 0);
    int first = parent ? 0 : size - truth_ranks, next = (rank + 1) % size;
    CHECK(rank == first + truth_rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 3, &got, 1, MPI_INT, (rank + size - 1) % size, 3, merged,
                 MPI_STATUS_IGNORE);
    expect_size("MPI_Sendrecv", sizeof(int), 1);
    expect_received("MPI_Sendrecv", sizeof(int));
    if (next >= first && next < first + truth_ranks)
        expect_message(truth_rank, next - first, 1, sizeof(int));
    else
        expect_outside(1, sizeof(int));
    CHECK(got == (rank + size - 1) % size);
    MPI_Comm_free(&merged);
    expect("MPI_Comm_free", 1, 0);
}

/* Within this world. */
static void turn_around(void)
{
    int next = (truth_rank + 1) % truth_ranks, got = -1;
    MPI_Sendrecv(&truth_rank, 1, MPI_INT, next, 4, &got, 1, MPI_INT, MPI_ANY_SOURCE, 4,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_send("MPI_Sendrecv", next, sizeof(int));
    expect_received("MPI_Sendrecv", sizeof(int));
}

int main(int argc, char **argv)
{
    MPI_Comm inter;
    truth_begin(&argc, &argv);
    MPI_Comm_get_parent(&inter);
    expect("MPI_Comm_get_parent", 1, 0);
    int parent = inter == MPI_COMM_NULL;
    if (parent) {
        int errors[CHILDREN];
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       errors);
        expect("MPI_Comm_spawn", 1, 0);
    } else {
        truth_prefix = "child";
    }
    talk(inter, parent);
    ring(inter, parent);
    turn_around();
    MPI_Comm_disconnect(&inter);
    expect("MPI_Comm_disconnect", 1, 0);
    turn_around();
    return truth_end();
}
