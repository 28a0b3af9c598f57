/* The watcher of results, for data: their hash, and calls whose data come later.
 *
 * The hash of what a buffer argument stands for (watched.h). Compiled inside wrappers.c.
 *
 * A predefined datatype without holes is hashed in place. All others are packed first, by
 * MPI_Pack, a chunk at a time: that gives the elements in the order of the type map, without the
 * holes, whatever the datatype was made of, so a message has the same hash on both sides even if
 * their datatypes differ. MPI_LONG_DOUBLE has bytes without meaning inside, which are left out.
 *
 * Called with results_lock held; after the MPI has accepted the arguments, but for data that it
 * would overwrite. Of those it may refuse what is asked here with the same error, which its error
 * handler then gets twice.
 */
#ifndef MPROF_OUTSTANDING_H
#define MPROF_OUTSTANDING_H

#include <string.h>

#include "base/data_hash.h"
#include "base/gpu.h"
#include "base/private_memory.h"
#include "record/watched/results.h"
#include "wrap/watched.h"

enum {
    PACK_BYTES = 256 << 10, /* a chunk, unless one element has more */
    LONG_DOUBLE_BYTES = 16,
    LONG_DOUBLE_MEANING = 10 /* of them, x87's */
};

/* What is being hashed. */
struct data_reader {
    struct data_hash hash;
    uint64_t left;   /* bytes that are still to hash */
    bool on_device;  /* met memory that cannot be read */
    bool incomplete; /* met data that could not be packed */
};

static struct grown_memory pack_buffer;

/* A predefined datatype, of which `*bytes` have a meaning. */
static bool type_is_predefined(MPI_Datatype type, uint64_t *bytes)
{
    *bytes = type_bytes(type);
    const uint64_t handle = HANDLE(type) << TYPE_SIZE_BITS;
    return __atomic_load_n(known_type(handle), __ATOMIC_RELAXED) - handle < TYPE_ASK;
}

/* Of predefined datatypes, by their names, which the standard gives. */
enum type_meaning { TYPE_EXACT = 1, TYPE_FLOATING = 2, TYPE_LONG_DOUBLE = 3 };

static enum type_meaning type_meaning(MPI_Datatype type)
{
    enum { KNOWN = 32 };
    static struct {
        uint64_t type;
        enum type_meaning meaning;
    } known[KNOWN];
    static const char *const floating[] = {"FLOAT", "DOUBLE", "REAL", "COMPLEX"};
    const uint64_t handle = HANDLE(type);
    const size_t at = (handle ^ handle >> 8 ^ handle >> 16) % KNOWN;
    if (known[at].meaning != 0 && known[at].type == handle)
        return known[at].meaning;
    char name[512] = "";
    int length = 0;
    enum type_meaning meaning = TYPE_EXACT;
    if (PMPI(MPI_Type_get_name)(type, name, &length) == 0)
        for (size_t i = 0; i < sizeof floating / sizeof floating[0]; i++)
            if (strstr(name, floating[i]) != NULL)
                meaning = TYPE_FLOATING;
    if (strstr(name, "LONG_DOUBLE") != NULL)
        meaning = TYPE_LONG_DOUBLE;
    known[at].type = handle;
    known[at].meaning = meaning;
    return meaning;
}

static inline uint64_t take_bytes(struct data_reader *reader, uint64_t bytes)
{
    const uint64_t taken = bytes < reader->left ? bytes : reader->left;
    reader->left -= taken;
    results->hashed_bytes += taken;
    return taken;
}

static COLD void hash_long_doubles(struct data_reader *reader, const char *data, uint64_t bytes)
{
    char meaning[LONG_DOUBLE_MEANING * 64];
    size_t used = 0;
    for (uint64_t at = 0; at + LONG_DOUBLE_BYTES <= bytes; at += LONG_DOUBLE_BYTES) {
        if (used == sizeof meaning) {
            data_hash_add_now(&reader->hash, meaning, used);
            used = 0;
        }
        memcpy(meaning + used, data + at, LONG_DOUBLE_MEANING);
        used += LONG_DOUBLE_MEANING;
    }
    data_hash_add_now(&reader->hash, meaning, used);
}

static inline bool has_padded_long_double(MPI_Datatype type, uint64_t size)
{
#if defined(__x86_64__)
    return size % LONG_DOUBLE_BYTES == 0 && type_meaning(type) == TYPE_LONG_DOUBLE;
#else
    (void)type;
    (void)size;
    return false;
#endif
}

static bool pack(const void *from, MPI_Count count, MPI_Datatype type, size_t bytes)
{
    int position = 0;
    if (bytes > INT32_MAX || count > INT32_MAX || !grow_memory(&pack_buffer, bytes))
        return false;
    return PMPI(MPI_Pack)(from, (int)count, type, pack_buffer.memory, (int)bytes, &position,
                          MPI_COMM_SELF) == 0 &&
           (size_t)position == bytes;
}

static COLD void hash_packed(struct data_reader *reader, const struct watched_block *block,
                             uint64_t size)
{
    const MPI_Aint extent = type_extent(block->type);
    const MPI_Count at_once = size < PACK_BYTES ? (MPI_Count)(PACK_BYTES / size) : 1;
    const char *from = block->address;
    for (MPI_Count left = block->count; left > 0 && reader->left > 0;) {
        const MPI_Count count = left < at_once ? left : at_once;
        const uint64_t bytes = (uint64_t)count * size;
        if (!pack(from, count, block->type, bytes)) {
            reader->incomplete = true;
            return;
        }
        data_hash_add_now(&reader->hash, pack_buffer.memory, take_bytes(reader, bytes));
        from += count * extent;
        left -= count;
    }
}

static void hash_block(struct data_reader *reader, const struct watched_block *block)
{
    uint64_t size;
    const bool predefined = type_is_predefined(block->type, &size);
    if (size == 0 || reader->left == 0)
        return;
    const bool in_one_piece = predefined && (uint64_t)type_extent(block->type) == size;
    if (is_device_memory(block->address)) {
        reader->on_device = true;
    } else if (!in_one_piece) {
        hash_packed(reader, block, size);
    } else if (block->address == NULL) {
        reader->incomplete = true;
    } else if (has_padded_long_double(block->type, size)) {
        hash_long_doubles(reader, block->address,
                          take_bytes(reader, (uint64_t)block->count * size));
    } else {
        data_hash_add(&reader->hash, block->address,
                      take_bytes(reader, (uint64_t)block->count * size));
    }
}

/* Of at most `bytes`, those that arrived. */
static struct data_result hash_data(const struct watched_data *data, uint64_t bytes)
{
    struct data_reader reader;
    const char *next = NULL;
    reader.left = bytes;
    reader.on_device = reader.incomplete = false;
    data_hash_begin(&reader.hash);
    for (uint64_t i = data->first; i < data->blocks; i++) {
        const struct watched_block block = data_block(data, i, &next);
        if (block.count > 0)
            hash_block(&reader, &block);
    }
    results->on_device += reader.on_device;
    results->not_hashed += !reader.on_device && reader.incomplete;
    struct data_result result = {.place = results_next_place()};
    if (!reader.on_device && !reader.incomplete)
        result.hash = data_hash_end(&reader.hash);
    return result;
}

/* Does what a reduction computes depend on the order of its parts? */
static bool depends_on_order(MPI_Op op, const struct watched_data *data)
{
    const MPI_Op exact_ops[] = {MPI_MAX, MPI_MIN,  MPI_LAND, MPI_BAND,   MPI_LOR,
                                MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
    uint64_t size;
    for (size_t i = 0; i < sizeof exact_ops / sizeof exact_ops[0]; i++)
        if (op == exact_ops[i])
            return false;
    if (op != MPI_SUM && op != MPI_PROD)
        return true;
    return data->blocks > 0 && data->type != MPI_DATATYPE_NULL &&
           (!type_is_predefined(data->type, &size) || type_meaning(data->type) != TYPE_EXACT);
}

/* Calls whose data come later: requests that were started, persistent ones, matched messages.
 * Compiled inside wrappers.c, for the watcher of results alone; the ordinary record of requests is
 * requests.h.
 *
 * The program may free a datatype or a communicator, with what is known about it, before the
 * request completes: both are held. Arrays of counts may not be touched until then by the standard,
 * so they are not copied. All with results_lock held.
 */

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
