/* The few things that libmprof itself asks of MPI, as plain integers: handles are uint64_t, ranks
 * are int.
 *
 * The interposition layer implements them once per ABI (wrap/services.h) and sets
 * `mpi_services` when it has found the MPI; everything outside interpose/ goes through this table.
 * None of them is called on the hot path, none before MPI_Init or after MPI_Finalize.
 */
#ifndef MPROF_MPI_SERVICES_H
#define MPROF_MPI_SERVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What there is to know of a communicator when it was made. */
struct comm_facts {
    int rank;
    int size;
    int remote_size; /* 0 = not an intercommunicator */
    bool inter;
    bool world_ordered; /* its (remote) ranks are those of MPI_COMM_WORLD */
    uint64_t group;     /* of the ranks that are sent to; 0 when world_ordered. To be given back by
                           free_group. */
    uint32_t topology;  /* 0, MPROF_COMM_CARTESIAN or MPROF_COMM_GRAPH */
    int neighbors;      /* out-degree */
    uint64_t null_neighbors; /* bit i: neighbour i is MPI_PROC_NULL (cartesian, first 64) */
    uint64_t members; /* hash of the world ranks of its processes, in their order; both groups
                         of an intercommunicator, the same on either side */
};

/* A link per edge of a rank in the tree of ranks (rank_tree.h): to its parent and to each child. */
enum { SERVICE_LINKS = 32 };

enum direction { TO_OTHER, FROM_OTHER, DIRECTIONS };
enum step { STEP_PENDING, STEP_ENDED, STEP_FAILED };
enum probe { PROBE_NOTHING, PROBE_MESSAGE, PROBE_FAILED /* as when the other one has died */ };

struct mpi_services {
    uint32_t abi; /* mprof_abi */
    uint64_t comm_world;
    uint64_t comm_self;
    void (*follow_buffers)(void); /* from now on, as the program uses a GPU (wrap/watch.h) */
    int (*sends_from_gpu)(void);  /* 1 = it says that it can, 0 = that it cannot, -1 = nothing */
    void (*learn)(void);          /* once MPI is initialized: what only the running library tells */
    void (*describe_comm)(uint64_t comm, struct comm_facts *facts);
    uint32_t (*world_rank)(uint64_t group, int rank); /* or MPROF_RANK_OUTSIDE */
    void (*free_group)(uint64_t group);
    void (*library_version)(char *text, int capacity);
    const char *(*library_path)(void);
    void (*not_covered)(char *text, size_t capacity); /* what is linked and would not be seen */
    void (*second_mpis)(char *text, size_t capacity); /* so far, that are not recorded */
    bool (*is_finalized)(void);                       /* callable at any time */
    bool (*was_spawned)(void);                        /* by MPI_Comm_spawn */
    void (*world)(int *rank, int *size);
    /* What is open: the world model or sessions, whose process set mpi://WORLD gives the ranks when
     * there is no MPI_COMM_WORLD. To be called after opening and before closing, all local. Rank
     * and size are those of the process set; false = not known. leave_session: false = it was not
     * known to be open. */
    void (*enter_world)(void);
    void (*leave_world)(void);
    bool (*enter_session)(uint64_t session, int *rank, int *size);
    bool (*leave_session)(uint64_t session);
    /* Collective over MPI_COMM_WORLD; for an MPI that cannot open links. */
    bool (*broadcast_from_0)(void *data, int bytes);
    /* A link is a communicator of two ranks alone, made by both, without any other rank's help:
     * its messages never meet the program's own, and its errors reach no handler of the program.
     * To be opened in MPI_Init: Open MPI 4.1 copies the attributes of MPI_COMM_WORLD to it, and so
     * would call the program's functions. False: this MPI is older than 3.0. */
    bool (*open_link)(int link, int own_rank, int other_rank);
    /* Nonblocking; in each direction of a link one at a time: start, then poll until it is no
     * longer pending. */
    bool (*start_send)(int link, int tag, const void *data, int bytes);
    bool (*start_receive)(int link, int tag, void *data, int capacity);
    enum step (*poll)(int link, enum direction direction);
    enum probe (*probe)(int link, int tag);
    void (*close_link)(int link); /* when all was received that was sent */
};

extern const struct mpi_services *mpi_services;

#endif
