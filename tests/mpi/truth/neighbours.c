/* Truth: neighbourhood collectives on Cartesian (periodic and not), graph and distributed graph
 * communicators. What goes to a neighbour counts once per neighbour. A neighbour that is
 * MPI_PROC_NULL gets nothing. */
#include "truth.h"

enum { MOST = 8, BLOCK = 5 };
static enum { BLOCKING, NONBLOCKING, PERSISTENT } mode;

#if MPI_VERSION >= 4
#define RUN_PERSISTENT(lower_name, size, ...)                                   \
    do {                                                                        \
        MPI_Request request;                                                    \
        MPI_Neighbor_##lower_name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
        expect("MPI_Neighbor_" #lower_name "_init", 1, 0);                      \
        expect_transfers("MPI_Neighbor_" #lower_name "_init", size, 2);         \
        for (int start = 0; start < 2; start++) {                               \
            MPI_Start(&request);                                                \
            expect("MPI_Start", 1, 0);                                          \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                              \
            expect("MPI_Wait", 1, 0);                                           \
        }                                                                       \
        MPI_Request_free(&request);                                             \
        expect("MPI_Request_free", 1, 0);                                       \
    } while (0)
#else
#define RUN_PERSISTENT(lower_name, size, ...)
#endif
#define RUN(lower_name, size, ...)                              \
    do {                                                        \
        if (mode == BLOCKING) {                                 \
            MPI_Neighbor_##lower_name(__VA_ARGS__);             \
            expect_size("MPI_Neighbor_" #lower_name, size, 1);  \
        } else if (mode == NONBLOCKING) {                       \
            MPI_Request request;                                \
            MPI_Ineighbor_##lower_name(__VA_ARGS__, &request);  \
            expect_size("MPI_Ineighbor_" #lower_name, size, 1); \
            MPI_Wait(&request, MPI_STATUS_IGNORE);              \
            expect("MPI_Wait", 1, 0);                           \
        } else {                                                \
            RUN_PERSISTENT(lower_name, size, __VA_ARGS__);      \
        }                                                       \
    } while (0)

/* Sends to `sends` and receives from `receives`, lists of ranks in `comm`, which may hold
 * MPI_PROC_NULL. */
static void exchange(MPI_Comm comm, int n_sends, const int *sends, int n_receives,
                     const int *receives)
{
    int in[MOST * BLOCK], out[MOST * BLOCK], counts[MOST], receive_counts[MOST], sum = 0, real = 0;
    int displacements[MOST];
    MPI_Aint offsets[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < MOST; i++) {
        displacements[i] = i * BLOCK;
        offsets[i] = i * BLOCK * (MPI_Aint)sizeof(int);
        types[i] = MPI_INT;
        counts[i] = receive_counts[i] = 0;
    }
    for (int i = 0; i < MOST * BLOCK; i++) {
        in[i] = truth_rank;
        out[i] = -1;
    }
    for (int i = 0; i < n_sends; i++) { /* to rank d go d % 3 + 1, so the receiver knows */
        counts[i] = sends[i] == MPI_PROC_NULL ? 4 : sends[i] % 3 + 1;
        if (sends[i] != MPI_PROC_NULL) {
            sum += counts[i];
            real++;
        }
    }
    for (int i = 0; i < n_receives; i++)
        receive_counts[i] = truth_rank % 3 + 1;

    RUN(allgather, real * 2 * (long long)sizeof(int), in, 2, MPI_INT, out, 2, MPI_INT, comm);
    for (int i = 0; i < n_receives; i++)
        CHECK(out[2 * i + 1] == (receives[i] == MPI_PROC_NULL ? -1 : receives[i]));
    for (int i = 0; i < n_receives; i++) /* every rank sends two */
        receive_counts[i] = 2;
    RUN(allgatherv, real * 2 * (long long)sizeof(int), in, 2, MPI_INT, out, receive_counts,
        displacements, MPI_INT, comm);
    RUN(alltoall, real * 3 * (long long)sizeof(int), in, 3, MPI_INT, out, 3, MPI_INT, comm);
    for (int i = 0; i < n_receives; i++)
        receive_counts[i] = truth_rank % 3 + 1;
    RUN(alltoallv, sum * (long long)sizeof(int), in, counts, displacements, MPI_INT, out,
        receive_counts, displacements, MPI_INT, comm);
    RUN(alltoallw, sum * (long long)sizeof(int), in, counts, offsets, types, out, receive_counts,
        offsets, types, comm);
    for (int i = 0; i < n_receives; i++)
        CHECK(receives[i] == MPI_PROC_NULL || out[i * BLOCK + truth_rank % 3] == receives[i]);
}

/* One dimension; the order of neighbours is (down, up). */
static void test_cart(int periodic)
{
    MPI_Comm cart;
    int up = (truth_rank + 1) % truth_ranks;
    int down = (truth_rank + truth_ranks - 1) % truth_ranks;
    int neighbours[2] = {periodic || truth_rank > 0 ? down : MPI_PROC_NULL,
                         periodic || truth_rank + 1 < truth_ranks ? up : MPI_PROC_NULL};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &truth_ranks, &periodic, 0, &cart);
    expect("MPI_Cart_create", 1, 0);
    exchange(cart, 2, neighbours, 2, neighbours);
    MPI_Comm_free(&cart);
    expect("MPI_Comm_free", 1, 0);
}

/* Directed: everyone sends to the next rank, and to rank 0; rank 0 so has all for sources, itself
 * too. */
static void test_dist_graph(void)
{
    MPI_Comm graph;
    int sends[2] = {(truth_rank + 1) % truth_ranks, 0}, receives[MOST], n_receives = 0;
    receives[n_receives++] = (truth_rank + truth_ranks - 1) % truth_ranks;
    for (int r = 0; r < truth_ranks && truth_rank == 0; r++)
        receives[n_receives++] = r;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n_receives, receives, MPI_UNWEIGHTED, 2, sends,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    expect("MPI_Dist_graph_create_adjacent", 1, 0);
    exchange(graph, 2, sends, n_receives, receives);
    MPI_Comm_free(&graph);
    expect("MPI_Comm_free", 1, 0);
}

/* A star: rank 0 is everyone's neighbour. */
static void test_graph(void)
{
    MPI_Comm graph;
    int index[MOST], edges[2 * MOST], n = 0, neighbours[MOST], degree = 0;
    for (int r = 1; r < truth_ranks; r++)
        edges[n++] = r;
    index[0] = n;
    for (int r = 1; r < truth_ranks; r++) {
        edges[n++] = 0;
        index[r] = n;
    }
    for (int r = 1; r < truth_ranks && truth_rank == 0; r++)
        neighbours[degree++] = r;
    if (truth_rank != 0)
        neighbours[degree++] = 0;
    MPI_Graph_create(MPI_COMM_WORLD, truth_ranks, index, edges, 0, &graph);
    expect("MPI_Graph_create", 1, 0);
    exchange(graph, degree, neighbours, degree, neighbours);
    MPI_Comm_free(&graph);
    expect("MPI_Comm_free", 1, 0);
}

int main(int argc, char **argv)
{
    truth_begin(&argc, &argv);
    for (int m = 0; m < (MPI_VERSION >= 4 ? 3 : 2); m++) {
        mode = m;
        test_cart(1);
        test_cart(0);
        test_dist_graph();
        test_graph();
    }
    return truth_end();
}
