/* Communicators (communicators.h). A slot in the record holds one communicator, or, for programs
 * that make and free them in a loop, all those that were made the same way one after the other;
 * beyond MAX_SLOTS they share MPROF_COMM_SLOT_OTHER. */
#include "communicators.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"

enum { PIECE_RECORDS = 64, MAX_SLOTS = 4096, MAX_PIECES = MAX_SLOTS / PIECE_RECORDS };

const struct mpi_services *mpi_services;

static struct {
    pthread_mutex_t lock;
    struct mprof_communicator *pieces[MAX_PIECES]; /* of the record, each PIECE_RECORDS long */
    uint32_t slots;
    uint32_t serials;
    struct comm *unused;
    struct comm *world;
    struct comm *self;
} comms = {.lock = PTHREAD_MUTEX_INITIALIZER, .slots = MPROF_COMM_SLOT_OTHER + 1};

static struct mprof_communicator *record_of(uint32_t slot)
{
    uint32_t piece = slot / PIECE_RECORDS;
    if (piece >= MAX_PIECES)
        return NULL;
    if (comms.pieces[piece] == NULL) {
        uint32_t index;
        comms.pieces[piece] = arena_allocate(MPROF_SECTION_COMMUNICATORS, piece,
                                             PIECE_RECORDS * sizeof(struct mprof_communicator),
                                             sizeof(struct mprof_communicator), 0, &index);
    }
    return comms.pieces[piece] == NULL ? NULL : &comms.pieces[piece][slot % PIECE_RECORDS];
}

static struct comm *take_unused(void)
{
    if (comms.unused == NULL) {
        enum { COUNT = 64 };
        struct comm *block = mmap(NULL, COUNT * sizeof *block, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            return NULL;
        for (int i = 0; i < COUNT; i++) {
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

/* A freed slot whose communicator was of the same shape and made the same way is used again, so
 * that a program that duplicates and frees a communicator in its main loop has one row for it and
 * not a thousand. */
static bool same_shape(const struct mprof_communicator *record, const struct comm_facts *facts,
                       uint32_t made_by, uint32_t parent)
{
    return record->flags == (flags_of(facts) | MPROF_COMM_FREED) &&
           record->size == (uint32_t)facts->size && record->rank == (uint32_t)facts->rank &&
           record->remote_size == (uint32_t)facts->remote_size && record->made_by == made_by &&
           record->parent == parent && record->name[0] == '\0';
}

static uint32_t find_slot(const struct comm_facts *facts, uint32_t made_by, uint32_t parent)
{
    for (uint32_t slot = MPROF_COMM_SLOT_OTHER + 1; slot < comms.slots; slot++)
        if (same_shape(record_of(slot), facts, made_by, parent))
            return slot;
    return record_of(comms.slots) != NULL ? comms.slots++ : MPROF_COMM_SLOT_OTHER;
}

static void fill_record(uint32_t slot, const struct comm_facts *facts, uint32_t made_by,
                        uint32_t parent)
{
    struct mprof_communicator *record = record_of(slot);
    if (record == NULL)
        return;
    record->created++;
    if (slot == MPROF_COMM_SLOT_OTHER) {
        record->flags = MPROF_COMM_IN_USE;
        return;
    }
    record->size = (uint32_t)facts->size;
    record->rank = (uint32_t)facts->rank;
    record->remote_size = (uint32_t)facts->remote_size;
    record->made_by = (uint16_t)made_by;
    record->parent = (uint16_t)parent;
    record->flags = flags_of(facts);
}

static struct comm *enter(uint64_t handle, uint32_t slot, const struct comm_facts *facts)
{
    struct comm *comm = take_unused();
    if (comm == NULL)
        return NULL;
    *comm = (struct comm){.facts = *facts,
                          .handle = handle,
                          .serial = ++comms.serials,
                          .slot = (uint16_t)slot,
                          .references = 1};
    union handle_payload *payload = handle_enter(HANDLE_COMM, handle);
    if (payload == NULL)
        return NULL;
    __atomic_store_n(&payload->comm, comm, __ATOMIC_RELEASE);
    return comm;
}

struct comm *comm_enter(uint64_t handle, uint32_t made_by, const struct comm *parent)
{
    struct comm_facts facts;
    mpi_services->describe_comm(handle, &facts);
    uint32_t parent_slot = parent != NULL ? parent->slot : MPROF_COMM_SLOT_NONE;
    pthread_mutex_lock(&comms.lock);
    uint32_t slot = find_slot(&facts, made_by, parent_slot);
    fill_record(slot, &facts, made_by, parent_slot);
    struct comm *comm = enter(handle, slot, &facts);
    pthread_mutex_unlock(&comms.lock);
    return comm;
}

static struct comm *enter_predefined(uint64_t handle, uint32_t slot, const char *name)
{
    struct comm_facts facts;
    mpi_services->describe_comm(handle, &facts);
    fill_record(slot, &facts, 0, MPROF_COMM_SLOT_NONE);
    struct comm *comm = enter(handle, slot, &facts);
    comm_name(comm, name);
    return comm;
}

void comms_open(void)
{
    comms.world =
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

struct comm *comm_find(enum handle_kind kind, uint64_t handle)
{
    if (comms.world != NULL && kind == HANDLE_COMM && handle == comms.world->handle)
        return comms.world;
    struct handle found = handle_find(kind, handle);
    return found.seen != 0 ? __atomic_load_n(&found.payload->comm, __ATOMIC_ACQUIRE) : NULL;
}

void comm_enter_user(enum handle_kind kind, uint64_t handle, struct comm *comm)
{
    if (comm == NULL)
        return;
    union handle_payload *payload = handle_enter(kind, handle);
    if (payload != NULL) {
        comm_hold(comm);
        __atomic_store_n(&payload->comm, comm, __ATOMIC_RELEASE);
    }
}

void comm_retire(enum handle_kind kind, uint64_t handle)
{
    struct handle found = handle_find(kind, handle);
    if (found.seen == 0)
        return;
    struct comm *comm = found.payload->comm;
    if (kind == HANDLE_COMM && comm->slot > MPROF_COMM_SLOT_OTHER) {
        pthread_mutex_lock(&comms.lock);
        record_of(comm->slot)->flags |= MPROF_COMM_FREED;
        pthread_mutex_unlock(&comms.lock);
    }
    if (handle_remove(found))
        comm_release(comm);
}

void comm_name(struct comm *comm, const char *name)
{
    if (comm == NULL || comm->slot == MPROF_COMM_SLOT_OTHER)
        return;
    pthread_mutex_lock(&comms.lock);
    struct mprof_communicator *record = record_of(comm->slot);
    if (record != NULL) {
        size_t length = strnlen(name, sizeof record->name - 1);
        memset(record->name, 0, sizeof record->name);
        memcpy(record->name, name, length);
    }
    pthread_mutex_unlock(&comms.lock);
}

struct comm *comm_keep(struct comm *comm)
{
    if (comm == NULL)
        return NULL;
    if (comm->facts.world_ordered && comms.world != NULL)
        comm = comms.world; /* it has the same ranks and is never freed */
    else
        comm_hold(comm);
    return comm;
}

void comm_hold(struct comm *comm)
{
    __atomic_add_fetch(&comm->references, 1, __ATOMIC_RELAXED);
}

void comm_release(struct comm *comm)
{
    if (comm == comms.world)
        return;
    if (__atomic_sub_fetch(&comm->references, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (comm->facts.group != 0)
        mpi_services->free_group(comm->facts.group);
    pthread_mutex_lock(&comms.lock);
    comm->next = comms.unused;
    comms.unused = comm;
    pthread_mutex_unlock(&comms.lock);
}

bool comm_has_rank(const struct comm *comm, int rank)
{
    if (comm == NULL)
        return true;
    return rank >= 0 && rank < (comm->facts.inter ? comm->facts.remote_size : comm->facts.size);
}

uint32_t comm_world_rank(struct recorder *recorder, const struct comm *comm, int rank)
{
    if (comm->facts.world_ordered)
        return (uint32_t)rank;
    struct translation *known =
        &recorder->translations[(comm->serial * 31u + (uint32_t)rank) % TRANSLATIONS];
    /* Shared by threads, the cache could be torn. */
    if (recorder->shared)
        return mpi_services->world_rank(comm->facts.group, rank);
    if (known->comm_serial != comm->serial || known->rank != rank) {
        known->comm_serial = comm->serial;
        known->rank = rank;
        known->world_rank = mpi_services->world_rank(comm->facts.group, rank);
    }
    return known->world_rank;
}
