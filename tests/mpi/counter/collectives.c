/* The counting library: collectives, in all their forms. See counter.h.
 */
#include "counter.h"

/* COLLECTIVE(Bcast, bcast, bytes, LIST(parameters), LIST(arguments)) makes MPI_Bcast, MPI_Ibcast
 * and MPI_Bcast_init. */
#define BLOCKING(name, bytes_, parameters, arguments) \
    int MPI_##name(parameters)                        \
    {                                                 \
        FUNCTION(MPI_##name);                         \
        counter_call(self, bytes_);                   \
        return NEXT(MPI_##name)(arguments);           \
    }
#define NONBLOCKING(name, bytes_, parameters, arguments) \
    int MPI_##name(parameters, MPI_Request *request)     \
    {                                                    \
        FUNCTION(MPI_##name);                            \
        counter_call(self, bytes_);                      \
        return NEXT(MPI_##name)(arguments, request);     \
    }
#if MPI_VERSION >= 4
#define PERSISTENT(name, bytes_, parameters, arguments)                  \
    int MPI_##name(parameters, MPI_Info info, MPI_Request *request)      \
    {                                                                    \
        FUNCTION(MPI_##name);                                            \
        counter_call_without_size(self);                                 \
        int result = NEXT(MPI_##name)(arguments, info, request);         \
        counter_persistent(*request, self, comm, MPI_PROC_NULL, bytes_); \
        return result;                                                   \
    }
#else
#define PERSISTENT(name, bytes_, parameters, arguments)
#endif
#define COLLECTIVE(name, lower, bytes, parameters, arguments)       \
    BLOCKING(name, bytes, LIST(parameters), LIST(arguments))        \
    NONBLOCKING(I##lower, bytes, LIST(parameters), LIST(arguments)) \
    PERSISTENT(name##_init, bytes, LIST(parameters), LIST(arguments))

static int is_root(MPI_Comm comm, int root)
{
    return root == MPI_ROOT || (root != MPI_PROC_NULL && root == counter_rank(comm));
}

/* What a rank contributes to a gather or a reduction. In an intercommunicator the root's side gives
 * nothing. */
static int contributes(int root)
{
    return root != MPI_ROOT && root != MPI_PROC_NULL;
}

static long long sum(const int *counts, int n, MPI_Datatype type)
{
    long long bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += counter_payload(counts[i], type);
    return bytes;
}

static long long sum_of_types(const int *counts, int n, const MPI_Datatype *types)
{
    long long bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += counter_payload(counts[i], types[i]);
    return bytes;
}

static int local_size(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

#define BUFFERS const void *in, void *out
#define BUFFERS_AND_COUNTS \
    const void *in, int count, MPI_Datatype type, void *out, int out_count, MPI_Datatype out_type

COLLECTIVE(Barrier, barrier, 0, LIST(MPI_Comm comm), LIST(comm))
COLLECTIVE(Bcast, bcast, root == MPI_PROC_NULL ? 0 : counter_payload(count, type),
           LIST(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           LIST(buffer, count, type, root, comm))
COLLECTIVE(Reduce, reduce, contributes(root) ? counter_payload(count, type) : 0,
           LIST(BUFFERS, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           LIST(in, out, count, type, op, root, comm))
COLLECTIVE(Allreduce, allreduce, counter_payload(count, type),
           LIST(BUFFERS, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm))
COLLECTIVE(Scan, scan, counter_payload(count, type),
           LIST(BUFFERS, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm))
COLLECTIVE(Exscan, exscan, counter_payload(count, type),
           LIST(BUFFERS, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm))
COLLECTIVE(Reduce_scatter, reduce_scatter, sum(counts, local_size(comm), type),
           LIST(BUFFERS, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, counts, type, op, comm))
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block,
           local_size(comm) * counter_payload(count, type),
           LIST(BUFFERS, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           LIST(in, out, count, type, op, comm))

/* In place, the own block is described by the receiving side's arguments. */
COLLECTIVE(Gather, gather,
           !contributes(root)   ? 0
           : in == MPI_IN_PLACE ? counter_payload(out_count, out_type)
                                : counter_payload(count, type),
           LIST(BUFFERS_AND_COUNTS, int root, MPI_Comm comm),
           LIST(in, count, type, out, out_count, out_type, root, comm))
COLLECTIVE(Gatherv, gatherv,
           !contributes(root)   ? 0
           : in == MPI_IN_PLACE ? counter_payload(out_counts[counter_rank(comm)], out_type)
                                : counter_payload(count, type),
           LIST(const void *in, int count, MPI_Datatype type, void *out, const int out_counts[],
                const int displacements[], MPI_Datatype out_type, int root, MPI_Comm comm),
           LIST(in, count, type, out, out_counts, displacements, out_type, root, comm))
COLLECTIVE(Allgather, allgather,
           in == MPI_IN_PLACE ? counter_payload(out_count, out_type) : counter_payload(count, type),
           LIST(BUFFERS_AND_COUNTS, MPI_Comm comm),
           LIST(in, count, type, out, out_count, out_type, comm))
COLLECTIVE(Allgatherv, allgatherv,
           in == MPI_IN_PLACE ? counter_payload(out_counts[counter_rank(comm)], out_type)
                              : counter_payload(count, type),
           LIST(const void *in, int count, MPI_Datatype type, void *out, const int out_counts[],
                const int displacements[], MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, count, type, out, out_counts, displacements, out_type, comm))
COLLECTIVE(Scatter, scatter,
           is_root(comm, root) ? counter_peers(comm) * counter_payload(count, type) : 0,
           LIST(BUFFERS_AND_COUNTS, int root, MPI_Comm comm),
           LIST(in, count, type, out, out_count, out_type, root, comm))
COLLECTIVE(Scatterv, scatterv, is_root(comm, root) ? sum(counts, counter_peers(comm), type) : 0,
           LIST(const void *in, const int counts[], const int displacements[], MPI_Datatype type,
                void *out, int out_count, MPI_Datatype out_type, int root, MPI_Comm comm),
           LIST(in, counts, displacements, type, out, out_count, out_type, root, comm))
COLLECTIVE(Alltoall, alltoall,
           counter_peers(comm) * (in == MPI_IN_PLACE ? counter_payload(out_count, out_type)
                                                     : counter_payload(count, type)),
           LIST(BUFFERS_AND_COUNTS, MPI_Comm comm),
           LIST(in, count, type, out, out_count, out_type, comm))
COLLECTIVE(Alltoallv, alltoallv,
           in == MPI_IN_PLACE ? sum(out_counts, counter_peers(comm), out_type)
                              : sum(counts, counter_peers(comm), type),
           LIST(const void *in, const int counts[], const int displacements[], MPI_Datatype type,
                void *out, const int out_counts[], const int out_displacements[],
                MPI_Datatype out_type, MPI_Comm comm),
           LIST(in, counts, displacements, type, out, out_counts, out_displacements, out_type,
                comm))
COLLECTIVE(Alltoallw, alltoallw,
           in == MPI_IN_PLACE ? sum_of_types(out_counts, counter_peers(comm), out_types)
                              : sum_of_types(counts, counter_peers(comm), types),
           LIST(const void *in, const int counts[], const int displacements[],
                const MPI_Datatype types[], void *out, const int out_counts[],
                const int out_displacements[], const MPI_Datatype out_types[], MPI_Comm comm),
           LIST(in, counts, displacements, types, out, out_counts, out_displacements, out_types,
                comm))

/* Neighbours that this rank sends to, in order, MPI_PROC_NULL included. */
enum { MOST_NEIGHBOURS = 1000 };

static int cart_neighbours(MPI_Comm comm, int *neighbours)
{
    int dimensions, n = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int d = 0; d < dimensions; d++, n += 2)
        PMPI_Cart_shift(comm, d, 1, &neighbours[n], &neighbours[n + 1]);
    return n;
}

static int find_neighbours(MPI_Comm comm, int *neighbours)
{
    int kind, n = 0, sources, weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART)
        return cart_neighbours(comm, neighbours);
    if (kind == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, counter_rank(comm), &n);
        PMPI_Graph_neighbors(comm, counter_rank(comm), n, neighbours);
    } else {
        int all_sources[MOST_NEIGHBOURS], weights[MOST_NEIGHBOURS], other_weights[MOST_NEIGHBOURS];
        PMPI_Dist_graph_neighbors_count(comm, &sources, &n, &weighted);
        PMPI_Dist_graph_neighbors(comm, sources, all_sources, weights, n, neighbours,
                                  other_weights);
    }
    return n;
}

static long long to_each_neighbour(MPI_Comm comm, int count, MPI_Datatype type)
{
    int neighbours[MOST_NEIGHBOURS], n = find_neighbours(comm, neighbours);
    long long bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += counter_sent(count, type, neighbours[i]);
    return bytes;
}

static long long to_neighbours(MPI_Comm comm, const int *counts, MPI_Datatype type,
                               const MPI_Datatype *types)
{
    int neighbours[MOST_NEIGHBOURS], n = find_neighbours(comm, neighbours);
    long long bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += counter_sent(counts[i], types != NULL ? types[i] : type, neighbours[i]);
    return bytes;
}

#define NEIGHBOUR(lower, bytes, parameters, arguments)                       \
    BLOCKING(Neighbor_##lower, bytes, LIST(parameters), LIST(arguments))     \
    NONBLOCKING(Ineighbor_##lower, bytes, LIST(parameters), LIST(arguments)) \
    PERSISTENT(Neighbor_##lower##_init, bytes, LIST(parameters), LIST(arguments))

NEIGHBOUR(allgather, to_each_neighbour(comm, count, type), LIST(BUFFERS_AND_COUNTS, MPI_Comm comm),
          LIST(in, count, type, out, out_count, out_type, comm))
NEIGHBOUR(allgatherv, to_each_neighbour(comm, count, type),
          LIST(const void *in, int count, MPI_Datatype type, void *out, const int out_counts[],
               const int displacements[], MPI_Datatype out_type, MPI_Comm comm),
          LIST(in, count, type, out, out_counts, displacements, out_type, comm))
NEIGHBOUR(alltoall, to_each_neighbour(comm, count, type), LIST(BUFFERS_AND_COUNTS, MPI_Comm comm),
          LIST(in, count, type, out, out_count, out_type, comm))
NEIGHBOUR(alltoallv, to_neighbours(comm, counts, type, NULL),
          LIST(const void *in, const int counts[], const int displacements[], MPI_Datatype type,
               void *out, const int out_counts[], const int out_displacements[],
               MPI_Datatype out_type, MPI_Comm comm),
          LIST(in, counts, displacements, type, out, out_counts, out_displacements, out_type, comm))
NEIGHBOUR(alltoallw, to_neighbours(comm, counts, MPI_DATATYPE_NULL, types),
          LIST(const void *in, const int counts[], const MPI_Aint displacements[],
               const MPI_Datatype types[], void *out, const int out_counts[],
               const MPI_Aint out_displacements[], const MPI_Datatype out_types[], MPI_Comm comm),
          LIST(in, counts, displacements, types, out, out_counts, out_displacements, out_types,
               comm))

#if MPI_VERSION >= 4
static long long large_sum(const MPI_Count *counts, int n, MPI_Datatype type)
{
    long long bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += counter_payload(counts[i], type);
    return bytes;
}

BLOCKING(Bcast_c, root == MPI_PROC_NULL ? 0 : counter_payload(count, type),
         LIST(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm),
         LIST(buffer, count, type, root, comm))
BLOCKING(Allreduce_c, counter_payload(count, type),
         LIST(BUFFERS, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         LIST(in, out, count, type, op, comm))
BLOCKING(Allgatherv_c,
         in == MPI_IN_PLACE ? counter_payload(out_counts[counter_rank(comm)], out_type)
                            : counter_payload(count, type),
         LIST(const void *in, MPI_Count count, MPI_Datatype type, void *out,
              const MPI_Count out_counts[], const MPI_Aint displacements[], MPI_Datatype out_type,
              MPI_Comm comm),
         LIST(in, count, type, out, out_counts, displacements, out_type, comm))
BLOCKING(Alltoallv_c,
         in == MPI_IN_PLACE ? large_sum(out_counts, counter_peers(comm), out_type)
                            : large_sum(counts, counter_peers(comm), type),
         LIST(const void *in, const MPI_Count counts[], const MPI_Aint displacements[],
              MPI_Datatype type, void *out, const MPI_Count out_counts[],
              const MPI_Aint out_displacements[], MPI_Datatype out_type, MPI_Comm comm),
         LIST(in, counts, displacements, type, out, out_counts, out_displacements, out_type, comm))
#endif
