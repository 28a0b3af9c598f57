/* Calls whose data come later: requests that were started, persistent ones, matched messages.
 * Compiled inside wrappers.c, for the watcher of results alone; the ordinary record of requests is
 * requests.h.
 *
 * The program may free a datatype, and with a communicator what is known of it, before the request
 * completes: both are held. Arrays of counts may not be touched until then by the standard, so they
 * are not copied. All with results_lock held.
 */
#ifndef MPROF_OUTSTANDING_H
#define MPROF_OUTSTANDING_H

#include "record/watched/posted_receives.h"
#include "wrap/hash_data.h"
#include "wrap/watched.h"

enum { OUTSTANDING_PER_CHUNK = 256, OUTSTANDING_BUCKETS = 4096 };

struct outstanding {
    struct outstanding *next; /* in its bucket, or unused */
    uint64_t name;            /* handle and kind of handle, as handle_name() */
    struct watched watched;   /* the call that made it */
    struct result_call call;
    struct posted_receive *receive; /* under way; NULL = none */
    struct comm *comm;              /* held; NULL = not known */
    uint64_t number;                /* of a collective */
    uint32_t users;                 /* calls under way that were given its handle */
    bool unnamed;                   /* another request has its handle now: it is in no bucket */
    bool brings;                    /* `watched.gets` comes when it completes */
    MPI_Datatype given_type;        /* the program's; those in `watched` are held */
    MPI_Datatype got_type;
};

static struct {
    struct outstanding *buckets[OUTSTANDING_BUCKETS];
    struct outstanding *unused;
    uint64_t generation;
} outstanding;

static inline struct outstanding **outstanding_bucket(uint64_t name)
{
    if (outstanding.generation != results_generation) {
        memset(&outstanding, 0, sizeof outstanding);
        outstanding.generation = results_generation;
    }
    return &outstanding.buckets[handle_hash(name) >> 52];
}

static struct outstanding *outstanding_find(enum handle_kind kind, uint64_t handle)
{
    const uint64_t name = handle_name(kind, handle);
    struct outstanding *found = *outstanding_bucket(name);
    while (found != NULL && found->name != name)
        found = found->next;
    return found;
}

static bool make_unused_outstanding(void)
{
    struct outstanding *chunk = map_private(OUTSTANDING_PER_CHUNK * sizeof *chunk);
    for (int i = 0; chunk != NULL && i < OUTSTANDING_PER_CHUNK; i++) {
        chunk[i].next = outstanding.unused;
        outstanding.unused = &chunk[i];
    }
    return chunk != NULL;
}

/* A datatype of our own with the same data. Not MPI_Type_dup, which calls the program's functions
 * for attributes. */
static MPI_Datatype hold_type(MPI_Datatype type)
{
    uint64_t size;
    MPI_Datatype own = type;
    if (type == MPI_DATATYPE_NULL || type_is_predefined(type, &size) ||
        PMPI(MPI_Type_contiguous)(1, type, &own) != 0)
        return type;
    PMPI(MPI_Type_commit)(&own);
    return own;
}

static void release_type(MPI_Datatype type, MPI_Datatype held)
{
    if (held != type)
        PMPI(MPI_Type_free)(&held);
}

/* Of data without blocks, `type` means nothing. An array of datatypes may be gone after the call,
 * so it is copied: the held ones, and behind them the program's. */
static void hold_types(struct watched_data *data, MPI_Datatype *theirs)
{
    *theirs = data->type;
    if (data->blocks == 0)
        return;
    if (data->types == NULL) {
        data->type = hold_type(data->type);
        return;
    }
    MPI_Datatype *types = map_private(2 * data->blocks * sizeof(MPI_Datatype));
    if (types == NULL) {
        data->blocks = 0;
        results->not_followed++;
        return;
    }
    for (uint64_t i = 0; i < data->blocks; i++) {
        types[i] = count_at(data->counts, i) > 0 ? hold_type(data->types[i]) : data->types[i];
        types[data->blocks + i] = data->types[i];
    }
    data->types = types;
}

static void release_types(struct watched_data *data, MPI_Datatype theirs)
{
    if (data->blocks == 0)
        return;
    if (data->types == NULL) {
        release_type(theirs, data->type);
        return;
    }
    for (uint64_t i = 0; i < data->blocks; i++)
        release_type(data->types[data->blocks + i], data->types[i]);
    munmap((void *)(uintptr_t)data->types, 2 * data->blocks * sizeof(MPI_Datatype));
}

/* NULL = no memory. */
static struct outstanding *outstanding_enter(enum handle_kind kind, uint64_t handle,
                                             const struct watched *watched, const struct call *call)
{
    const uint64_t name = handle_name(kind, handle);
    if (outstanding.unused == NULL && !make_unused_outstanding()) {
        results->not_followed++;
        return NULL;
    }
    struct outstanding *entry = outstanding.unused;
    outstanding.unused = entry->next;
    *entry = (struct outstanding){
        .next = *outstanding_bucket(name), .name = name, .watched = *watched, .comm = call->comm};
    *outstanding_bucket(name) = entry;
    if (entry->comm != NULL)
        comm_hold(entry->comm);
    hold_types(&entry->watched.gives, &entry->given_type);
    hold_types(&entry->watched.gets, &entry->got_type);
    return entry;
}

/* From now on it is not found by its handle. The MPI may give the handle of a completed request out
 * again, on another thread, before the call that completed it has returned here. */
static void outstanding_unname(struct outstanding *entry)
{
    struct outstanding **at = outstanding_bucket(entry->name);
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    entry->unnamed = true;
}

static void outstanding_remove(struct outstanding *entry)
{
    if (!entry->unnamed)
        outstanding_unname(entry);
    if (entry->receive != NULL)
        receive_withdraw(entry->receive);
    release_types(&entry->watched.gives, entry->given_type);
    release_types(&entry->watched.gets, entry->got_type);
    if (entry->comm != NULL)
        comm_release(entry->comm);
    entry->next = outstanding.unused;
    outstanding.unused = entry;
}

#endif
