/* The hash of what a buffer argument stands for (watched.h). Compiled inside wrappers.c.
 *
 * A predefined datatype without holes is hashed where it lies. All others are packed first, by
 * MPI_Pack, a chunk at a time: that gives the elements in the order of the type map, without the
 * holes, whatever the datatype was made of, so a message has the same hash on both sides even if
 * their datatypes differ. MPI_LONG_DOUBLE has bytes without meaning inside, which are left out.
 *
 * Called with results_lock held; after the MPI has accepted the arguments, but for data that it
 * would overwrite. Of those it may refuse what is asked here with the same error, which its error
 * handler then gets twice.
 */
#ifndef MPROF_HASH_DATA_H
#define MPROF_HASH_DATA_H

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

#endif
