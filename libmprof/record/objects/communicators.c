/* Communicators, and when collectives of the world began and ended (communicators.h). A slot in the
 * record holds one communicator, or, for programs that make and free them in a loop, all those of
 * the same members that were made the same way one after the other; beyond MAX_SLOTS they share
 * MPROF_COMM_SLOT_OTHER.
 *
 * The identity of a slot must be the same on all its ranks without asking them: it is the hash of
 * the members' world ranks, of the identity of the communicator that it was made from, and how many
 * slots with the same two there were before. Collective calls on one communicator come in the same
 * order on all its ranks. Those on different ones need not, when threads make them at once. */
#include "record/objects/communicators.h"

#include <string.h>

#include "base/lock.h"
#include "base/private_memory.h"
#include "record/state/record.h"
#include "record/state/running_call.h"
#include "store/arena.h"

enum {
    PIECE_RECORDS = 64,
    SURE_PIECES = 2,
    MAX_SLOTS = PIECE_RECORDS * MAX_PIECES,
    BLOCK_COMMS = 64,
    MAX_BLOCKS = 1024 /* 65,536 communicators at a time, 7 MiB */
};

const struct mpi_services *mpi_services;
struct comm *comm_of_world;

#define COMMS_AT_START                     \
    {                                      \
        .slots = MPROF_COMM_SLOT_OTHER + 1 \
    }
static struct {
    struct lock lock;
    uint64_t members[MAX_SLOTS]; /* of each slot */
    uint64_t keys[MAX_SLOTS];    /* of each slot: members and what it was made from */
    uint32_t slots;
    uint32_t serials;
    struct comm *unused;
    uint32_t blocks;
    struct comm *self;
} comms = COMMS_AT_START;

static struct piece_table table = {.section_type = MPROF_SECTION_COMMUNICATORS,
                                   .record_bytes = sizeof(struct mprof_communicator),
                                   .piece_records = PIECE_RECORDS,
                                   .sure_pieces = SURE_PIECES};

static struct mprof_communicator *record_of(uint32_t slot)
{
    return piece_record(&table, slot);
}

static struct comm *take_unused(void)
{
    if (comms.unused == NULL) {
        if (comms.blocks == MAX_BLOCKS)
            return NULL;
        struct comm *block = map_private(BLOCK_COMMS * sizeof *block);
        if (block == NULL)
            return NULL;
        comms.blocks++;
        for (int i = 0; i < BLOCK_COMMS; i++) {
            block[i].next = comms.unused;
            comms.unused = &block[i];
        }
    }
    struct comm *comm = comms.unused;
    comms.unused = comm->next;
    return comm;
}

static uint32_t flags_of(const struct comm_facts *facts)
{
    return MPROF_COMM_IN_USE | facts->topology | (facts->inter ? MPROF_COMM_INTER : 0u);
}

static uint32_t slot_of(const struct comm *comm)
{
    return comm != NULL ? comm->slot : (uint32_t)MPROF_COMM_SLOT_NONE;
}

struct mprof_folded_sums *comm_folded(uint32_t slot)
{
    struct mprof_communicator *row = slot == MPROF_COMM_SLOT_NONE ? NULL : record_of(slot);
    return row == NULL ? NULL : &row->folded;
}

/* A freed slot is used again if its communicator had the same shape and was made the same way. So a
 * program that duplicates and frees a communicator in its main loop has one row for it, not a
 * thousand. */
static bool same_shape(uint32_t slot, const struct comm_facts *facts,
                       const struct comm_origin *origin)
{
    const struct mprof_communicator *row = record_of(slot);
    return comms.members[slot] == facts->members &&
           row->flags == (flags_of(facts) | MPROF_COMM_FREED) &&
           row->size == (uint32_t)facts->size && row->rank == (uint32_t)facts->rank &&
           row->remote_size == (uint32_t)facts->remote_size && row->made_by == origin->made_by &&
           row->parent == slot_of(origin->parent) && row->callsite == origin->callsite &&
           row->name[0] == '\0';
}

static uint32_t find_slot(const struct comm_facts *facts, const struct comm_origin *origin)
{
    for (uint32_t slot = MPROF_COMM_SLOT_OTHER + 1; slot < comms.slots; slot++)
        if (same_shape(slot, facts, origin))
            return slot;
    if (comms.slots == MAX_SLOTS || piece_make(&table, comms.slots) == NULL)
        return MPROF_COMM_SLOT_OTHER;
    return comms.slots++;
}

/* Both sides of an intercommunicator must compute the same identity. */
static uint64_t key_of(const struct comm_facts *facts, const struct comm_origin *origin)
{
    const struct comm *parent = origin->parent;
    if (parent == NULL || (facts->inter && !parent->facts.inter))
        return facts->members;
    const struct mprof_communicator *row = record_of(parent->slot);
    const uint64_t made_from = row != NULL ? row->identity : 0;
    return facts->members ^ made_from * 0xff51afd7ed558ccdu;
}

static uint64_t identity_of(uint32_t slot)
{
    uint64_t before = 0;
    for (uint32_t other = MPROF_COMM_SLOT_WORLD; other < slot; other++)
        before += comms.keys[other] == comms.keys[slot];
    uint64_t identity = (comms.keys[slot] + before) * 0x9e3779b97f4a7c15u;
    identity ^= identity >> 31;
    return identity != 0 ? identity : 1;
}

/* With the lock held, or before there are other threads. */
static void fill_record(uint32_t slot, const struct comm_facts *facts,
                        const struct comm_origin *origin)
{
    struct mprof_communicator *row = piece_make(&table, slot);
    if (row == NULL)
        return;
    row->created++;
    if (slot == MPROF_COMM_SLOT_OTHER) {
        row->flags = MPROF_COMM_IN_USE;
        return;
    }
    comms.members[slot] = facts->members;
    comms.keys[slot] = key_of(facts, origin);
    row->size = (uint32_t)facts->size;
    row->rank = (uint32_t)facts->rank;
    row->remote_size = (uint32_t)facts->remote_size;
    row->made_by = (uint16_t)origin->made_by;
    row->parent = (uint16_t)slot_of(origin->parent);
    row->callsite = origin->callsite;
    if (row->identity == 0)
        row->identity = identity_of(slot);
    row->flags = flags_of(facts);
}

static void put_back(struct comm *comm)
{
    comm->next = comms.unused;
    comms.unused = comm;
}

/* Only the function of its calls is known. Each call tries to enter it again, and is counted. */
static struct comm *refuse_comm(const struct comm_facts *facts, uint32_t slot)
{
    if (facts->group != 0)
        mpi_services->free_group(facts->group);
    if (slot > MPROF_COMM_SLOT_OTHER && record_of(slot) != NULL)
        record_of(slot)->flags |= MPROF_COMM_FREED;
    count_loss(&losses->untracked_communicators);
    return NULL;
}

static struct comm *enter_comm(uint64_t handle, uint32_t slot, const struct comm_facts *facts)
{
    struct comm *comm = take_unused();
    if (comm == NULL)
        return refuse_comm(facts, slot);
    *comm = (struct comm){.facts = *facts,
                          .handle = handle,
                          .ranks = (uint32_t)(facts->inter ? facts->remote_size : facts->size),
                          .serial = ++comms.serials,
                          .slot = (uint16_t)slot,
                          .word = (uint64_t)slot << COMMUNICATOR_SHIFT,
                          .journaled =
                              !facts->inter && facts->size > 1 && slot != MPROF_COMM_SLOT_OTHER,
                          .references = 1};
    union handle_payload *payload = handle_enter(HANDLE_COMM, handle);
    if (payload == NULL) {
        put_back(comm);
        return refuse_comm(facts, slot);
    }
    __atomic_store_n(&payload->comm, comm, __ATOMIC_RELEASE);
    return comm;
}

static bool is_room(void)
{
    if (!lock_take(&comms.lock))
        return false;
    bool is_room = comms.unused != NULL || comms.blocks < MAX_BLOCKS;
    lock_give(&comms.lock);
    return is_room;
}

struct comm *comm_enter(uint64_t handle, const struct comm_origin *origin)
{
    return comm_enter_like(handle, handle, origin);
}

struct comm *comm_enter_like(uint64_t handle, uint64_t model, const struct comm_origin *origin)
{
    struct comm_facts facts;
    if (!is_room()) {
        count_loss(&losses->untracked_communicators);
        return NULL; /* without asking the MPI at each call on it */
    }
    mpi_services->describe_comm(model, &facts);
    if (!lock_take(&comms.lock))
        return refuse_comm(&facts, MPROF_COMM_SLOT_OTHER);
    uint32_t slot = find_slot(&facts, origin);
    fill_record(slot, &facts, origin);
    struct comm *comm = enter_comm(handle, slot, &facts);
    lock_give(&comms.lock);
    return comm;
}

static struct comm *enter_predefined(uint64_t handle, uint32_t slot, const char *name)
{
    struct comm_facts facts;
    mpi_services->describe_comm(handle, &facts);
    fill_record(slot, &facts, &(struct comm_origin){0, NULL, 0});
    struct comm *comm = enter_comm(handle, slot, &facts);
    comm_name(comm, name);
    return comm;
}

void comms_open(void)
{
    comm_of_world =
        enter_predefined(mpi_services->comm_world, MPROF_COMM_SLOT_WORLD, "MPI_COMM_WORLD");
    comms.self = enter_predefined(mpi_services->comm_self, MPROF_COMM_SLOT_SELF, "MPI_COMM_SELF");
}

void comms_close(void)
{
    if (comms.self != NULL && comms.self->facts.group != 0)
        mpi_services->free_group(comms.self->facts.group);
    if (comms.self != NULL)
        comms.self->facts.group = 0;
}

struct comm *comm_find_far(enum handle_kind kind, uint64_t handle)
{
    if (kind == HANDLE_COMM && comms.self != NULL && handle == comms.self->handle)
        return comms.self;
    return comm_of_handle(handle_find(kind, handle));
}

void comm_enter_user(enum handle_kind kind, uint64_t handle, struct comm *comm,
                     struct mprof_file *file)
{
    if (comm == NULL)
        return;
    union handle_payload *payload = handle_enter(kind, handle);
    if (payload == NULL) {
        count_loss(&losses->untracked_communicators);
        return;
    }
    comm_hold(comm);
    payload->file = file;
    __atomic_store_n(&payload->comm, comm, __ATOMIC_RELEASE);
}

struct comm *comm_of_handle(struct handle found)
{
    return found.seen != 0 ? __atomic_load_n(&found.payload->comm, __ATOMIC_ACQUIRE) : NULL;
}

void comm_retire(enum handle_kind kind, struct handle found, struct comm *comm)
{
    if (kind == HANDLE_COMM && (comm == comm_of_world || comm == comms.self))
        return;
    if (kind == HANDLE_COMM && comm->slot > MPROF_COMM_SLOT_OTHER) {
        const bool is_taken = lock_take(&comms.lock);
        record_of(comm->slot)->flags |= MPROF_COMM_FREED;
        lock_give_if(&comms.lock, is_taken);
    }
    handle_remove(found);
    comm_release(comm); /* the handle's own reference */
}

void comm_name(struct comm *comm, const char *name)
{
    if (comm == NULL || comm->slot == MPROF_COMM_SLOT_OTHER || !lock_take(&comms.lock))
        return;
    struct mprof_communicator *row = record_of(comm->slot);
    if (row != NULL) {
        size_t length = strnlen(name, sizeof row->name - 1);
        for (int i = 0; i < 3 && length > 0 && (name[length] & 0xc0) == 0x80; i++)
            length--; /* not inside a character of UTF-8 */
        memset(row->name, 0, sizeof row->name);
        memcpy(row->name, name, length);
    }
    lock_give(&comms.lock);
}

void comm_hold(struct comm *comm)
{
    __atomic_add_fetch(&comm->references, 1, __ATOMIC_RELAXED);
}

void comm_release(struct comm *comm)
{
    if (comm == comm_of_world)
        return;
    if (__atomic_sub_fetch(&comm->references, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (comm->facts.group != 0)
        mpi_services->free_group(comm->facts.group);
    if (!lock_take(&comms.lock))
        return; /* nobody uses it again */
    put_back(comm);
    lock_give(&comms.lock);
}

uint32_t comm_translate(struct recorder *recorder, const struct comm *comm, int rank)
{
    struct translation *known = translation_at(recorder, comm, rank);
    /* Shared by threads, the cache could be torn. */
    if (recorder->shared)
        return mpi_services->world_rank(comm->facts.group, rank);
    if (!translation_is_of(known, comm, rank)) {
        known->comm_serial = comm->serial;
        known->rank = rank;
        known->world_rank = mpi_services->world_rank(comm->facts.group, rank);
    }
    return known->world_rank;
}

void comms_forget(void)
{
    comms = (__typeof__(comms))COMMS_AT_START;
    comm_of_world = NULL;
    memset(table.pieces, 0, sizeof table.pieces);
}

/* ---- when collectives of the world began and ended ------------------------------------------- */

struct collective_counter collective_counter;

static struct mprof_collective_time *times; /* in the arena; NULL = none are kept */
static uint32_t kept;

void collective_times_open(void)
{
    uint32_t index;
    times =
        arena_allocate(MPROF_SECTION_COLLECTIVE_TIMES, 0,
                       MPROF_COLLECTIVE_TIMES_MOST * sizeof *times, sizeof *times, false, &index);
}

/* A reader of the live file may find one of them twice meanwhile. */
static void drop_half(void)
{
    uint32_t left = 0;
    collective_counter.dropped_bits = collective_counter.dropped_bits << 1 | 1;
    for (uint32_t i = 0; i < kept; i++)
        if ((times[i].number & collective_counter.dropped_bits) == 0)
            times[left++] = times[i];
    memset(&times[left], 0, (kept - left) * sizeof *times);
    kept = left;
}

void collective_time_keep(uint64_t number, const struct call *call)
{
    if (times == NULL)
        return;
    while (kept == MPROF_COLLECTIVE_TIMES_MOST)
        drop_half();
    if ((number & collective_counter.dropped_bits) != 0)
        return;
    struct mprof_collective_time *time = &times[kept++];
    time->start_ticks = call->start_ticks;
    time->ticks = call->ticks;
    time->number = number;
    __atomic_store_n(&time->in_use, 1, __ATOMIC_RELEASE);
}

void collective_times_thin(uint32_t most)
{
    while (times != NULL && kept > most)
        drop_half();
}

void collective_times_forget(void)
{
    times = NULL;
    kept = 0;
    memset(&collective_counter, 0, sizeof collective_counter);
}
