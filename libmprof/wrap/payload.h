/* How many bytes a call moves, from its arguments: the helpers that mprof_functions.txt uses.
 * Compiled once per ABI family, inside wrappers.c. The definitions are the glossary's; "own
 * contribution" is what this rank gives, not what the algorithm sends. `call.comm` is NULL only
 * when memory ran out; then sizes of groups are 0. */
#ifndef MPROF_PAYLOAD_H
#define MPROF_PAYLOAD_H

#include "wrap/wrap.h"

/* Counts of a v- or w-collective: int in the classic form, MPI_Count in the large-count form. */
struct counts {
    const void *array;
    bool large;
};
#define COUNTS(array) ((struct counts){(array), sizeof *(array) == sizeof(MPI_Count)})

static inline MPI_Count count_at(struct counts counts, uint64_t index)
{
    return counts.large ? ((const MPI_Count *)counts.array)[index]
                        : ((const int *)counts.array)[index];
}

/* Sizes of predefined datatypes, which are never freed: handle << TYPE_SIZE_BITS | bytes, or
 * TYPE_ASK if the handle is not that of a predefined datatype. A lost race asks twice. Saves 20 to
 * 60 instructions per message. */
enum { KNOWN_TYPES = 64, TYPE_SIZE_BITS = 16, TYPE_ASK = 0xffff };
static uint64_t known_types[KNOWN_TYPES];

/* Where this one would be: a handle << TYPE_SIZE_BITS. */
static HOT uint64_t *known_type(uint64_t handle)
{
    return &known_types[(handle >> TYPE_SIZE_BITS ^ handle >> 24) % KNOWN_TYPES];
}

static COLD uint64_t ask_for_type_bytes(MPI_Datatype datatype)
{
    int size = 0;
    PMPI(MPI_Type_size)(datatype, &size);
    if (__builtin_expect(size != MPI_UNDEFINED, 1))
        return (uint64_t)size;
    MPI_Count large_size = 0; /* over 2 GiB */
    if (mpi_pmpi[FN_MPI_Type_size_x] != NULL)
        PMPI(MPI_Type_size_x)(datatype, &large_size);
    return large_size > 0 ? (uint64_t)large_size : 0;
}

/* The older function aborts the program when it is asked about a datatype with large counts; an MPI
 * that has such datatypes has the newer one. */
static COLD bool is_predefined(MPI_Datatype datatype)
{
    int combiner = MPI_COMBINER_NAMED + 1;
    if (mpi_pmpi[FN_MPI_Type_get_envelope_c] != NULL) {
        MPI_Count counts[4];
        PMPI(MPI_Type_get_envelope_c)
        (datatype, &counts[0], &counts[1], &counts[2], &counts[3], &combiner);
    } else if (mpi_pmpi[FN_MPI_Type_get_envelope] != NULL) {
        int counts[3];
        PMPI(MPI_Type_get_envelope)(datatype, &counts[0], &counts[1], &counts[2], &combiner);
    }
    return combiner == MPI_COMBINER_NAMED;
}

static COLD uint64_t type_bytes_anew(MPI_Datatype datatype)
{
    uint64_t handle = HANDLE(datatype) << TYPE_SIZE_BITS;
    uint64_t bytes = ask_for_type_bytes(datatype);
    bool fixed = bytes < TYPE_ASK && is_predefined(datatype);
    __atomic_store_n(known_type(handle), handle | (fixed ? bytes : TYPE_ASK), __ATOMIC_RELAXED);
    return bytes;
}

static HOT uint64_t type_bytes(MPI_Datatype datatype)
{
    uint64_t handle = HANDLE(datatype) << TYPE_SIZE_BITS;
    uint64_t size = __atomic_load_n(known_type(handle), __ATOMIC_RELAXED) - handle;
    if (__builtin_expect(size < TYPE_ASK, 1))
        return size;
    return size == TYPE_ASK ? ask_for_type_bytes(datatype) : type_bytes_anew(datatype);
}

/* MPI allows any datatype, even MPI_DATATYPE_NULL in some libraries, where nothing is moved. */
static HOT uint64_t payload(MPI_Count count, MPI_Datatype datatype)
{
    return count <= 0 || datatype == MPI_DATATYPE_NULL ? 0 : (uint64_t)count * type_bytes(datatype);
}

/* The same before MPI has accepted the arguments, when it must not be asked: 0 = not known. */
static HOT uint64_t foreseen_payload(MPI_Count count, MPI_Datatype datatype)
{
    uint64_t handle = HANDLE(datatype) << TYPE_SIZE_BITS;
    uint64_t size = __atomic_load_n(known_type(handle), __ATOMIC_RELAXED) - handle;
    return count > 0 && size < TYPE_ASK ? (uint64_t)count * size : 0;
}

static inline uint64_t local_size(const struct comm *comm)
{
    return comm != NULL ? (uint64_t)comm->facts.size : 0;
}

/* How many ranks a collective sends to: those of the remote group in an intercommunicator. */
static inline uint64_t peers(const struct comm *comm)
{
    if (comm == NULL)
        return 0;
    return (uint64_t)(comm->facts.inter ? comm->facts.remote_size : comm->facts.size);
}

static inline bool is_inter(const struct comm *comm)
{
    return comm != NULL && comm->facts.inter;
}

static inline bool is_root(const struct comm *comm, int root)
{
    if (is_inter(comm))
        return root == MPI_ROOT;
    return comm != NULL && root == comm->facts.rank;
}

/* MPI_Bcast: the buffer, on every rank; in an intercommunicator the root's fellows take no part. */
static inline uint64_t bcast_payload(const struct comm *comm, int root, uint64_t bytes)
{
    return is_inter(comm) && root == MPI_PROC_NULL ? 0 : bytes;
}

/* Reduce and gather: the own contribution; in an intercommunicator the root's side gives nothing.
 */
static inline uint64_t rooted_payload(const struct comm *comm, int root, uint64_t bytes)
{
    return is_inter(comm) && (root == MPI_PROC_NULL || root == MPI_ROOT) ? 0 : bytes;
}

static inline uint64_t payload_sum(struct counts counts, uint64_t ranks, MPI_Datatype datatype)
{
    MPI_Count sum = 0;
    for (uint64_t rank = 0; rank < ranks; rank++)
        sum += count_at(counts, rank);
    return payload(sum, datatype);
}

static inline uint64_t payload_sum_types(struct counts counts, uint64_t ranks,
                                         const MPI_Datatype datatypes[])
{
    uint64_t sum = 0;
    for (uint64_t rank = 0; rank < ranks; rank++)
        sum += payload(count_at(counts, rank), datatypes[rank]);
    return sum;
}

/* The block of this rank in a v-collective with MPI_IN_PLACE. */
static inline uint64_t own_payload(struct counts counts, const struct comm *comm,
                                   MPI_Datatype datatype)
{
    return comm == NULL ? 0 : payload(count_at(counts, (uint64_t)comm->facts.rank), datatype);
}

/* Neighbours that are MPI_PROC_NULL (at the border of a grid that is not periodic) are not sent to.
 */
static inline bool neighbor_exists(const struct comm *comm, int neighbor)
{
    return neighbor >= 64 || !(comm->facts.null_neighbors >> neighbor & 1u);
}

static inline uint64_t neighbor_payload(const struct comm *comm, uint64_t bytes)
{
    uint64_t sum = 0;
    for (int neighbor = 0; comm != NULL && neighbor < comm->facts.neighbors; neighbor++)
        sum += neighbor_exists(comm, neighbor) ? bytes : 0;
    return sum;
}

static inline uint64_t neighbor_payload_sum(const struct comm *comm, struct counts counts,
                                            MPI_Datatype datatype)
{
    MPI_Count sum = 0;
    for (int neighbor = 0; comm != NULL && neighbor < comm->facts.neighbors; neighbor++)
        sum += neighbor_exists(comm, neighbor) ? count_at(counts, (uint64_t)neighbor) : 0;
    return payload(sum, datatype);
}

static inline uint64_t neighbor_payload_sum_types(const struct comm *comm, struct counts counts,
                                                  const MPI_Datatype datatypes[])
{
    uint64_t sum = 0;
    for (int neighbor = 0; comm != NULL && neighbor < comm->facts.neighbors; neighbor++)
        if (neighbor_exists(comm, neighbor))
            sum += payload(count_at(counts, (uint64_t)neighbor), datatypes[neighbor]);
    return sum;
}

#endif
