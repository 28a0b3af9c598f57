/* What the wrappers that watch tell of a call (watch.h), and where its data are: the helpers that
 * watched_functions.txt uses. Compiled inside wrappers.c, once per ABI family. */
#ifndef MPROF_WATCHED_H
#define MPROF_WATCHED_H

#include "record/watched/results.h"
#include "wrap/completions.h"
#include "wrap/payload.h"

/* ---- where the data are ---------------------------------------------------------------------- */

/* The helpers copy what the program passed and follow no pointer, so they are right even before the
 * MPI has accepted the arguments; own_count() alone reads an array of counts. data_block() follows
 * them, one block at a time. A block is what has one count: the part of a rank, or the whole
 * buffer. */

struct watched_data {
    const void *buffer; /* of the first block */
    MPI_Count count;    /* of each block, where `counts` has no array */
    MPI_Datatype type;  /* of each block, where `types` is NULL */
    uint64_t first;     /* blocks from this one */
    uint64_t blocks;    /* up to this one, which is left out */
    struct counts counts;
    struct counts places;      /* displacements; array NULL = one block after the other */
    const MPI_Datatype *types; /* then `places` are in bytes */
    uint64_t missing;          /* bit i: block i is not touched */
    bool overwritten;          /* the call writes to where it reads from */
};

/* One block of the data: `count` elements of `type` at `address`. */
struct watched_block {
    const void *address;
    MPI_Count count;
    MPI_Datatype type;
};

static const struct watched_data no_data = {.blocks = 0};

static inline struct watched_data each(const void *buffer, MPI_Count count, MPI_Datatype type,
                                       uint64_t blocks)
{
    return (struct watched_data){.buffer = buffer, .count = count, .type = type, .blocks = blocks};
}

static inline struct watched_data one(const void *buffer, MPI_Count count, MPI_Datatype type)
{
    return each(buffer, count, type, 1);
}

static inline struct watched_data placed(const void *buffer, struct counts counts,
                                         struct counts places, MPI_Datatype type, uint64_t blocks)
{
    struct watched_data data = each(buffer, 0, type, blocks);
    data.counts = counts;
    data.places = places;
    return data;
}

static inline struct watched_data typed(const void *buffer, struct counts counts,
                                        struct counts places, const MPI_Datatype *types,
                                        uint64_t blocks)
{
    struct watched_data data = placed(buffer, counts, places, MPI_DATATYPE_NULL, blocks);
    data.types = types;
    return data;
}

/* Blocks of several counts, one after the other. */
static inline struct watched_data summed(const void *buffer, struct counts counts,
                                         MPI_Datatype type, uint64_t blocks)
{
    return placed(buffer, counts, (struct counts){NULL, false}, type, blocks);
}

static inline struct watched_data overwritten(struct watched_data data)
{
    data.overwritten = true;
    return data;
}

/* `given`, or what MPI_IN_PLACE in its place stands for. */
static inline struct watched_data in_place(struct watched_data given, struct watched_data instead)
{
    return given.buffer == MPI_IN_PLACE ? overwritten(instead) : given;
}

static inline int own_rank(const struct comm *comm)
{
    return comm != NULL ? comm->facts.rank : 0;
}

/* The block of this rank alone. */
static inline struct watched_data own_block(const struct comm *comm, struct watched_data data)
{
    data.first = (uint64_t)own_rank(comm);
    data.blocks = data.blocks > data.first ? data.first + 1 : data.first;
    return data;
}

static inline struct watched_data own_count(const struct comm *comm, const void *buffer,
                                            struct counts counts, MPI_Datatype type)
{
    if (comm == NULL || counts.array == NULL)
        return no_data;
    return one(buffer, count_at(counts, (uint64_t)own_rank(comm)), type);
}

static inline struct watched_data of_root(const struct comm *comm, int root,
                                          struct watched_data data)
{
    return is_root(comm, root) ? data : no_data;
}

/* Who gives to a root or gets from it: in an intercommunicator the other side. */
static inline struct watched_data to_root(const struct comm *comm, int root,
                                          struct watched_data data)
{
    return is_inter(comm) && (root == MPI_PROC_NULL || root == MPI_ROOT) ? no_data : data;
}

static inline struct watched_data of_others(const struct comm *comm, int root,
                                            struct watched_data data)
{
    return is_root(comm, root) ? no_data : to_root(comm, root, data);
}

static inline struct watched_data not_of_first(const struct comm *comm, struct watched_data data)
{
    return comm == NULL || comm->facts.rank == 0 ? no_data : data;
}

static inline uint64_t destinations(const struct comm *comm)
{
    return comm != NULL ? (uint64_t)comm->facts.neighbors : 0;
}

/* Of a graph a rank may have other sources than destinations; MPI has accepted the communicator. */
static inline uint64_t sources(const struct comm *comm, MPI_Comm handle)
{
    if (comm == NULL)
        return 0;
    int topology = MPI_UNDEFINED;
    PMPI(MPI_Topo_test)(handle, &topology);
    if (topology != MPI_DIST_GRAPH)
        return destinations(comm);
    int in = 0;
    int out = 0;
    int weighted = 0;
    PMPI(MPI_Dist_graph_neighbors_count)(handle, &in, &out, &weighted);
    return (uint64_t)in;
}

static inline struct watched_data of_neighbors(const struct comm *comm, struct watched_data data)
{
    data.missing = comm != NULL ? comm->facts.null_neighbors : 0;
    return data;
}

static inline bool block_is_missing(const struct watched_data *data, uint64_t index)
{
    return index < 64 && (data->missing >> index & 1u) != 0;
}

/* After the MPI has accepted the arguments. */
static inline MPI_Aint type_extent(MPI_Datatype type)
{
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    PMPI(MPI_Type_get_extent)(type, &lower, &extent);
    return extent;
}

/* The block of this index. `*next` holds the address behind the block before it, and NULL at first;
 * count 0 = nothing is there. */
static inline struct watched_block data_block(const struct watched_data *data, uint64_t index,
                                              const char **next)
{
    struct watched_block block = {data->buffer, data->count, data->type};
    if (data->types != NULL)
        block.type = data->types[index];
    if (data->counts.array != NULL)
        block.count = count_at(data->counts, index);
    if (block.count <= 0 || block.type == MPI_DATATYPE_NULL || block_is_missing(data, index))
        return (struct watched_block){NULL, 0, block.type};
    const MPI_Aint extent = data->types != NULL ? 1 : type_extent(block.type);
    const char *begin = data->buffer;
    if (data->places.array != NULL)
        begin += count_at(data->places, index) * extent;
    else if (*next != NULL)
        begin = *next;
    else
        begin += (MPI_Aint)data->first * block.count * extent;
    *next = begin + block.count * extent;
    block.address = begin;
    return block;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* What a call does, from the template of its function. */
enum watched_kind {
    WATCHED_SEND,
    WATCHED_RECEIVE,
    WATCHED_SENDRECV,
    WATCHED_MATCHED_RECEIVE, /* of `message` */
    WATCHED_PROBE,           /* gives `message`, if one is there */
    WATCHED_COLLECTIVE,
    WATCHED_START,      /* of persistent requests */
    WATCHED_COMPLETION, /* of `requests` */
    WATCHED_FREE,       /* of `requests` */
    WATCHED_CANCEL,     /* of `requests` */
    WATCHED_MAKER       /* of a communicator, which all ranks of `comm` make together */
};

/* The arguments of a call; what it does not have is 0 or NULL. */
struct watched {
    enum watched_kind kind;
    bool nonblocking; /* it starts what `requests` stands for */
    bool persistent;  /* it makes `requests`, to be started */
    bool reduces;     /* it combines values by `op` */
    bool waits; /* it sends, and is complete when the receiver has begun if nothing is buffered */
    struct watched_data gives;
    struct watched_data gets;
    MPI_Comm comm;
    int dest;
    int send_tag;
    int source;
    int receive_tag;
    int root;
    MPI_Op op;
    MPI_Request *requests;
    MPI_Count request_count;
    MPI_Message *message;
    MPI_Status *statuses;   /* of the call's message, or of the requests that it completed */
    const int *flag;        /* NULL, or 0 = nothing was there */
    const int *indices;     /* which requests it completed; NULL = all of them */
    const int *index_count; /* how many indices; NULL = one */
    /* Of the watchers, from before to after: */
    uint64_t own_ticks;       /* what they took after the call */
    struct data_result given; /* of results: what is overwritten, hashed before */
    void *found;              /* of results: what is known of the requests */
};

#endif
