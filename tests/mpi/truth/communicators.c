/* Truth: communicators of every kind. Whatever the communicator, the partners are ranks of
 * MPI_COMM_WORLD. In each communicator a ring sends rank + 1 ints. The world ranks of its members
 * are worked out here by arithmetic. */
#include "truth.h"

static const MPI_Comm world = MPI_COMM_WORLD;
enum { MOST = 64, DUPLICATES = 300 };

static void release(MPI_Comm *comm)
{
    MPI_Comm_free(comm);
    expect("MPI_Comm_free", 1, 0);
}

/* `members` are the world ranks in the order of ranks in `comm`. */
static void ring(MPI_Comm comm, int size, const int *members)
{
    int rank = -1, got_size = 0, mine[MOST], other[MOST] = {0};
    MPI_Comm_rank(comm, &rank);
    expect("MPI_Comm_rank", 1, 0);
    MPI_Comm_size(comm, &got_size);
    expect("MPI_Comm_size", 1, 0);
    CHECK(got_size == size && members[rank] == truth_rank);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int i = 0; i <= rank; i++)
        mine[i] = truth_rank;
    MPI_Sendrecv(mine, rank + 1, MPI_INT, next, 1, other, MOST, MPI_INT, previous, 1, comm,
                 MPI_STATUS_IGNORE);
    expect_send("MPI_Sendrecv", members[next], (rank + 1) * (long long)sizeof(int));
    expect_received("MPI_Sendrecv", (previous + 1) * (long long)sizeof(int));
    CHECK(other[0] == members[previous] && other[previous] == members[previous]);
    MPI_Allreduce(mine, other, 1, MPI_INT, MPI_MAX, comm);
    expect_size("MPI_Allreduce", sizeof(int), 1);
}

/* members = first, first + step ...; returns how many lie in 0 .. truth_ranks - 1. */
static int list(int *members, int first, int step)
{
    int n = 0;
    for (int r = first; r >= 0 && r < truth_ranks; r += step)
        members[n++] = r;
    return n;
}

static void test_copies(void)
{
    MPI_Comm copy, later;
    MPI_Request request;
    int members[MOST], n = list(members, 0, 1);
    MPI_Comm_dup(world, &copy);
    expect("MPI_Comm_dup", 1, 0);
    ring(copy, n, members);
    MPI_Comm_idup(copy, &later, &request);
    expect("MPI_Comm_idup", 1, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    ring(later, n, members);
    release(&copy);
    release(&later);
    MPI_Comm_dup_with_info(MPI_COMM_SELF, MPI_INFO_NULL, &copy);
    expect("MPI_Comm_dup_with_info", 1, 0);
    ring(copy, 1, &truth_rank);
    release(&copy);
}

static MPI_Comm split(MPI_Comm comm, int colour, int key)
{
    MPI_Comm part;
    MPI_Comm_split(comm, colour, key, &part);
    expect("MPI_Comm_split", 1, 0);
    return part;
}

static void test_splits(void)
{
    int members[MOST], n = list(members, truth_ranks - 1, -1);
    MPI_Comm reversed = split(world, 0, -truth_rank);
    ring(reversed, n, members);

    /* Of the reversed: odd and even world ranks, back in ascending order; of these the single
     * ranks. */
    MPI_Comm parity = split(reversed, truth_rank % 2, truth_rank);
    n = list(members, truth_rank % 2, 2);
    ring(parity, n, members);
    MPI_Comm single = split(parity, truth_rank, 0);
    ring(single, 1, &truth_rank);
    release(&parity);
    release(&reversed);
    ring(single, 1, &truth_rank);
    release(&single);

    MPI_Comm nobody = split(world, truth_rank == 0 ? 1 : MPI_UNDEFINED, 0);
    CHECK((nobody != MPI_COMM_NULL) == (truth_rank == 0));
    if (truth_rank == 0)
        release(&nobody);

    MPI_Comm node;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, -truth_rank, MPI_INFO_NULL, &node);
    expect("MPI_Comm_split_type", 1, 0);
    n = list(members, truth_ranks - 1, -1); /* all ranks of this test are on one machine */
    ring(node, n, members);
    release(&node);
}

/* The last rank first, then rank 0. */
static void test_groups(void)
{
    MPI_Group all, pair;
    MPI_Comm comm;
    int members[2] = {truth_ranks - 1, 0};
    MPI_Comm_group(world, &all);
    expect("MPI_Comm_group", 1, 0);
    MPI_Group_incl(all, 2, members, &pair);
    expect("MPI_Group_incl", 1, 0);
    MPI_Comm_create(world, pair, &comm);
    expect("MPI_Comm_create", 1, 0);
    if (comm != MPI_COMM_NULL) {
        ring(comm, 2, members);
        release(&comm);
        MPI_Comm_create_group(world, pair, 7, &comm);
        expect("MPI_Comm_create_group", 1, 0);
        MPI_Group_free(&pair);
        MPI_Group_free(&all);
        expect("MPI_Group_free", 2, 0);
        ring(comm, 2, members);
        release(&comm);
    } else {
        MPI_Group_free(&pair);
        MPI_Group_free(&all);
        expect("MPI_Group_free", 2, 0);
    }
}

/* The MPI may reorder: then the members are asked for, by a gather. */
static void test_cart(void)
{
    MPI_Comm cart, row;
    int row_size = truth_ranks % 2 == 0 ? 2 : 1, size[2] = {truth_ranks / row_size, row_size};
    int periods[2] = {0, 1}, keep[2] = {0, 1}, members[MOST];
    MPI_Cart_create(world, 2, size, periods, 1, &cart);
    expect("MPI_Cart_create", 1, 0);
    MPI_Allgather(&truth_rank, 1, MPI_INT, members, 1, MPI_INT, cart);
    expect_size("MPI_Allgather", sizeof(int), 1);
    ring(cart, truth_ranks, members);
    MPI_Cart_sub(cart, keep, &row);
    expect("MPI_Cart_sub", 1, 0);
    MPI_Allgather(&truth_rank, 1, MPI_INT, members, 1, MPI_INT, row);
    expect_size("MPI_Allgather", sizeof(int), 1);
    ring(row, row_size, members);
    release(&row);
    release(&cart);
}

/* Even ranks on one side, odd ones on the other. */
static void test_intercommunicator(void)
{
    int side = truth_rank % 2, members[MOST], others[MOST], sum = 0;
    int n = list(members, side, 2), n_others = list(others, 1 - side, 2), rank = truth_rank / 2;
    int in[MOST] = {truth_rank, truth_rank}, out[MOST] = {0};
    MPI_Comm local = split(world, side, 0), inter, merged;
    MPI_Intercomm_create(local, 0, world, 1 - side, 3, &inter);
    expect("MPI_Intercomm_create", 1, 0);
    release(&local);

    /* Rank k of one side sends to rank k of the other; their number may differ. */
    if (rank < n_others) {
        MPI_Sendrecv(in, 2, MPI_INT, rank, 1, out, 2, MPI_INT, MPI_ANY_SOURCE, 1, inter,
                     MPI_STATUS_IGNORE);
        expect_send("MPI_Sendrecv", others[rank], 2 * sizeof(int));
        expect_received("MPI_Sendrecv", 2 * sizeof(int));
        CHECK(out[0] == others[rank]);
    }
    MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, inter); /* the other side's sum */
    expect_size("MPI_Allreduce", 2 * sizeof(int), 1);
    for (int i = 0; i < n_others; i++)
        sum += others[i];
    CHECK(out[1] == sum);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, inter); /* one int to each rank of the other side
                                                           */
    expect_size("MPI_Alltoall", n_others * (long long)sizeof(int), 1);
    CHECK(out[n_others - 1] == others[n_others - 1]);
    /* Rank 0 of the even side has something for the odd side; the rest of its side only takes part.
     */
    int root = side == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    in[0] = 1234 + truth_rank;
    MPI_Bcast(in, 1, MPI_INT, root, inter);
    expect_size("MPI_Bcast", root == MPI_PROC_NULL ? 0 : sizeof(int), 1);
    CHECK(side == 0 || in[0] == 1234);

    MPI_Intercomm_merge(inter, side == 0, &merged); /* the odd side comes first */
    expect("MPI_Intercomm_merge", 1, 0);
    release(&inter);
    int odd = list(members, 1, 2);
    n = odd + list(members + odd, 0, 2);
    ring(merged, n, members);
    release(&merged);
}

/* A communicator that is freed with its requests pending keeps its partners. */
static void test_freed_while_pending(void)
{
    MPI_Comm comm = split(world, 0, -truth_rank);
    MPI_Request request = MPI_REQUEST_NULL;
    int value = truth_rank;
    if (truth_rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &request);
        expect_size("MPI_Irecv", sizeof(int), 1);
    } else if (truth_rank == 1) {
        MPI_Isend(&value, 1, MPI_INT, truth_ranks - 1, 2, comm, &request); /* world rank 0 */
        expect_send("MPI_Isend", 0, sizeof(int));
    }
    release(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("MPI_Wait", 1, 0);
    CHECK(truth_rank != 0 || value == 1);
}

/* The ranks in reverse. The same lines receive from other ranks each time, and from any. */
static void test_many_receives(void)
{
    enum { ROUNDS = 60 };
    MPI_Comm comm = split(world, 0, -truth_rank);
    const int rank = truth_ranks - 1 - truth_rank;
    for (int i = 0; i < ROUNDS; i++) {
        const int distance = 1 + i / 3 % (truth_ranks - 1);
        const int to = (rank + distance) % truth_ranks;
        const int from = (rank + truth_ranks - distance) % truth_ranks;
        MPI_Request requests[2];
        int value = 0;
        MPI_Irecv(&value, 1, MPI_INT, i % 2 ? from : MPI_ANY_SOURCE, i, comm, &requests[0]);
        expect_size("MPI_Irecv", sizeof(int), 1);
        MPI_Isend(&rank, 1, MPI_INT, to, i, comm, &requests[1]);
        expect_send("MPI_Isend", truth_ranks - 1 - to, sizeof(int));
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        expect("MPI_Waitall", 1, 0);
        CHECK(value == from);
    }
    release(&comm);
}

static void test_many_copies(void)
{
    MPI_Comm comm;
    int next = (truth_rank + 1) % truth_ranks, value = 0;
    int previous = (truth_rank + truth_ranks - 1) % truth_ranks;
    for (int i = 0; i < DUPLICATES; i++) {
        MPI_Comm_dup(world, &comm);
        expect("MPI_Comm_dup", 1, 0);
        MPI_Sendrecv(&i, 1, MPI_INT, next, 0, &value, 1, MPI_INT, previous, 0, comm,
                     MPI_STATUS_IGNORE);
        expect_send("MPI_Sendrecv", next, sizeof(int));
        expect_received("MPI_Sendrecv", sizeof(int));
        CHECK(value == i);
        release(&comm);
    }
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    test_copies();
    test_splits();
    test_groups();
    test_cart();
    test_intercommunicator();
    test_freed_while_pending();
    test_many_receives();
    test_many_copies();
    return truth_end();
}
