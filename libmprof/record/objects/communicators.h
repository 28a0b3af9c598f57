/* The communicators of the program: which slot of the record each belongs to, and which world rank
 * each of its ranks is.
 *
 * The wrappers look a communicator up at every call (comm_find), enter new ones after the call that
 * made them (comm_enter), and retire them before the call that frees them. Windows and files are
 * entered under the communicator that they were made from. A communicator that was made where
 * libmprof did not see it is entered at its first successful use.
 *
 * Any thread may call anything here; comm_find takes no lock.
 */
#ifndef MPROF_COMMUNICATORS_H
#define MPROF_COMMUNICATORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "mpi/mpi_services.h"
#include "record/objects/handles.h"
#include "record/paths/path_cache.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

struct comm {
    struct comm_facts facts;
    uint64_t handle;
    uint32_t ranks;      /* that can be sent to: of the remote group in an intercommunicator */
    uint32_t serial;     /* never used twice: key of translations */
    uint16_t slot;       /* in the record */
    uint64_t word;       /* what the slot adds to an entry_word() */
    bool journaled;      /* its collectives go into a journal: there are others to wait for */
    uint32_t references; /* of pending receives, windows and files; the handle itself holds one */
    struct comm *next;   /* while unused */
};

/* After MPI_Init: MPI_COMM_WORLD and MPI_COMM_SELF. */
void comms_open(void);

/* Before PMPI_Finalize: gives groups back. */
void comms_close(void);

extern HIDDEN struct comm *comm_of_world; /* it is never freed; NULL before MPI_Init */

struct comm *comm_find_far(enum handle_kind kind, uint64_t handle);

/* Known communicator, window or file; NULL = not known (yet). */
static HOT struct comm *comm_find(enum handle_kind kind, uint64_t handle)
{
    struct comm *world = comm_of_world;
    if (kind == HANDLE_COMM && __builtin_expect(world != NULL && handle == world->handle, 1))
        return world;
    return comm_find_far(kind, handle);
}

/* How a communicator came to be: by which function (1 + id, 0 = not seen), from which one, where.
 */
struct comm_origin {
    uint32_t made_by;
    const struct comm *parent;
    uint32_t callsite;
};

/* What entries that lost this slot held; NULL: nobody keeps that. */
struct mprof_folded_sums *comm_folded(uint32_t slot);

/* A communicator that was just made. */
struct comm *comm_enter(uint64_t handle, const struct comm_origin *origin);

/* A duplicate of `model` that may not be used yet (MPI_Comm_idup). Entered at its first use, it
 * could come in another order on each rank. */
struct comm *comm_enter_like(uint64_t handle, uint64_t model, const struct comm_origin *origin);

/* A window or file of `comm`; `file` is a file's row, else NULL. */
void comm_enter_user(enum handle_kind kind, uint64_t handle, struct comm *comm,
                     struct mprof_file *file);

/* After the call that freed it. `found` is what handle_find() saw before, which comm_find_handle()
 * gives: meanwhile another thread may have been given the same handle, whose entry stays. The
 * caller holds the communicator. Predefined ones stay, whatever the MPI does. */
struct comm *comm_of_handle(struct handle found);
void comm_retire(enum handle_kind kind, struct handle found, struct comm *comm);

void comm_name(struct comm *comm, const char *name);

/* A pending receive needs the communicator's ranks even after the program freed it: the
 * communicator to ask then, held until comm_release(). NULL for NULL. */
void comm_hold(struct comm *comm);
void comm_release(struct comm *comm);

static HOT struct comm *comm_keep(struct comm *comm)
{
    if (comm == NULL)
        return NULL;
    if (comm->facts.world_ordered && comm_of_world != NULL)
        return comm_of_world; /* it has the same ranks */
    comm_hold(comm);
    return comm;
}

/* Is there such a rank to send to? An MPI whose call failed may still have returned success, after
 * the program's error handler (MPICH 5 does); its arguments and status are not to be believed then.
 * True when the communicator is not known. */
static HOT bool comm_has_rank(const struct comm *comm, int rank)
{
    return comm == NULL || (uint32_t)rank < comm->ranks;
}

/* World rank of rank `rank` of `comm`, or MPROF_RANK_OUTSIDE. */
uint32_t comm_translate(struct recorder *recorder, const struct comm *comm, int rank);

static HOT uint32_t comm_world_rank(struct recorder *recorder, const struct comm *comm, int rank)
{
    return comm->facts.world_ordered ? (uint32_t)rank : comm_translate(recorder, comm, rank);
}

/* Where a recorder keeps it. */
static HOT struct translation *translation_at(struct recorder *recorder, const struct comm *comm,
                                              int rank)
{
    return &recorder->translations[(comm->serial * 31u + (uint32_t)rank) % TRANSLATIONS];
}

static HOT bool translation_is_of(const struct translation *translation, const struct comm *comm,
                                  int rank)
{
    return translation->comm_serial == comm->serial && translation->rank == rank;
}

/* The same without a call. False = it must be translated. Of a recorder that no threads share. */
static HOT bool comm_known_rank(struct recorder *recorder, const struct comm *comm, int rank,
                                uint32_t *world_rank)
{
    const struct translation *known = translation_at(recorder, comm, rank);
    if (__builtin_expect(comm->facts.world_ordered, 1)) {
        *world_rank = (uint32_t)rank;
        return true;
    }
    *world_rank = known->world_rank;
    return translation_is_of(known, comm, rank);
}

/* In a child with a record of its own (attach.c). */
void comms_forget(void);

/* ---- when collectives of the world began and ended ------------------------------------------- */

/* When some collectives on MPI_COMM_WORLD began and ended in which all ranks wait for each other
 * (mprof_collective_time). They end at nearly the same moment on all ranks, so the parser can
 * compare the clocks of nodes by them.
 *
 * Every such collective is counted. The first ones are all kept; whenever the room is full, every
 * other one is dropped, and only multiples of twice the distance are kept from there on. So what is
 * kept follows from the count alone, and all ranks keep the same ones. A call that is no such
 * collective does not come here.
 *
 * Called by the wrappers, on the thread that makes the call; MPI forbids two collectives on one
 * communicator at the same time.
 */

/* In the finished file fewer: they correct an offset and a rate. */
enum { COLLECTIVE_TIMES_FINISHED = 16 };

/* How many there were, and which are kept: those whose number has none of these bits. */
struct collective_counter {
    uint64_t count;
    uint64_t dropped_bits;
};
extern HIDDEN struct collective_counter collective_counter;

/* With the arena open; without room nothing is kept. */
void collective_times_open(void);

/* Keeps the collective of this number. */
void collective_time_keep(uint64_t number, const struct call *call);

/* For the finished file. */
void collective_times_thin(uint32_t most);

/* After a blocking collective in which all wait for all. */
static HOT void collective_time_note(const struct call *call)
{
    if (call->comm != comm_of_world)
        return;
    uint64_t number = collective_counter.count++;
    if (__builtin_expect((number & collective_counter.dropped_bits) == 0, 0))
        collective_time_keep(number, call);
}

/* In a child with a record of its own (attach.c). */
void collective_times_forget(void);

#endif
