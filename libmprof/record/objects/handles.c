/* The handle table (handles.h): what is not on the hot path. */
#include "record/objects/handles.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/private_memory.h"

/* Each level has eight times as many buckets as the one before, or as many as the ceiling of all
 * levels together leaves. */
enum { LEVELS = 6, GROWTH_BITS = 3 };

uint64_t *handle_keys; /* of level 0, as the payloads */
union handle_payload *handle_payloads;
bool handles_are_one_at_a_time;
static uint64_t *levels[LEVELS]; /* keys, then payloads; read and written atomically */
static int level_bits[LEVELS];   /* of the number of buckets; 0 = the level is not used */

struct bucket {
    uint64_t *keys;
    union handle_payload *payloads;
};

static size_t slot_count(int level)
{
    return (size_t)HANDLE_KEYS << level_bits[level];
}

static size_t level_bytes(int level)
{
    return slot_count(level) * (sizeof(uint64_t) + sizeof(union handle_payload));
}

/* Each level takes what those before it leave. The first one is always there. */
static void choose_levels(size_t ceiling_bytes)
{
    size_t left = ceiling_bytes;
    for (int level = 0; level < LEVELS; level++) {
        level_bits[level] = HANDLE_FIRST_BITS + GROWTH_BITS * level;
        while (level > 0 && level_bits[level] > 0 && level_bytes(level) > left)
            level_bits[level]--;
        left -= level_bytes(level) < left ? level_bytes(level) : left;
    }
}

static union handle_payload *payloads_of(uint64_t *keys, int level)
{
    return (union handle_payload *)(keys + slot_count(level));
}

static uint64_t *map_level(int level)
{
    if (level_bits[level] == 0)
        return NULL;
    size_t bytes = level_bytes(level);
    void *memory = map_private(bytes);
    if (memory == NULL)
        return NULL;
    uint64_t *expected = NULL;
    if (__atomic_compare_exchange_n(&levels[level], &expected, (uint64_t *)memory, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return memory;
    unmap_memory(memory, bytes); /* another thread was faster */
    return expected;
}

bool handles_open(size_t ceiling_bytes)
{
    if (handle_keys != NULL)
        return true;
    choose_levels(ceiling_bytes);
    uint64_t *keys = map_level(0);
    if (keys == NULL)
        return false;
    handle_payloads = payloads_of(keys, 0);
    handle_keys = keys;
    return true;
}

static struct bucket bucket_of(uint64_t *keys, int level, uint64_t name)
{
    size_t slot = handle_hash(name) >> (64 - level_bits[level]);
    slot *= HANDLE_KEYS;
    return (struct bucket){keys + slot, payloads_of(keys, level) + slot};
}

static uint64_t whole_name(uint64_t name)
{
    return name & ((1ull << HANDLE_NAME_BITS) - 1);
}

struct handle handle_find_far(uint64_t wanted)
{
    const uint64_t name = whole_name(wanted);
    for (int level = 0; level < LEVELS; level++) {
        uint64_t *keys = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
        if (keys == NULL)
            break;
        struct bucket bucket = bucket_of(keys, level, name);
        for (int i = 0; i < HANDLE_KEYS; i++) {
            uint64_t key = __atomic_load_n(&bucket.keys[i], __ATOMIC_ACQUIRE);
            if (((key ^ name) << (64 - HANDLE_NAME_BITS)) == 0)
                return (struct handle){&bucket.keys[i], key, &bucket.payloads[i]};
        }
    }
    return (struct handle){NULL, 0, NULL};
}

void handles_assume_one_at_a_time(bool they_are)
{
    handles_are_one_at_a_time = they_are;
}

/* A slot of the bucket that nobody has, now taken, the first place first; NULL = it is full. */
static union handle_payload *take_slot(struct bucket bucket, uint64_t name)
{
    unsigned first = (unsigned)(handle_hash(name) >> (64 - HANDLE_FIRST_BITS - HANDLE_KEYS_BITS));
    for (unsigned n = 0; n < HANDLE_KEYS; n++) {
        unsigned i = (first + n) % HANDLE_KEYS;
        uint64_t key = __atomic_load_n(&bucket.keys[i], __ATOMIC_RELAXED);
        if ((key == 0 || (key & HANDLE_REMOVED)) && handle_replace_key(&bucket.keys[i], key, name))
            return &bucket.payloads[i];
    }
    return NULL;
}

union handle_payload *handle_enter_far(uint64_t wanted)
{
    const uint64_t name = whole_name(wanted);
    union handle_payload *payload = NULL;
    for (int level = 0; payload == NULL && level < LEVELS; level++) {
        uint64_t *keys = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
        if (keys == NULL)
            keys = map_level(level);
        if (keys == NULL)
            break;
        payload = take_slot(bucket_of(keys, level, name), name);
    }
    return payload;
}

void handles_forget(void)
{
    memset(levels, 0, sizeof levels);
    handle_keys = NULL;
    handle_payloads = NULL;
    handles_are_one_at_a_time = false;
}
