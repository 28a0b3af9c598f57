/* The handle table (handles.h). A key is 0 (free) or generation << 50 | handle << 3 | kind: handles
 * are 32-bit numbers or addresses of user space, below 2^47. */
#include "handles.h"

#include <stddef.h>
#include <sys/mman.h>

enum { KEYS = 8, LEVELS = 5, FIRST_BUCKETS = 256, GROWTH = 8, GENERATION_SHIFT = 50 };

struct bucket {
    uint64_t keys[KEYS]; /* read and written atomically, as are the levels */
    union handle_payload payloads[KEYS];
};

static struct bucket *levels[LEVELS];

static uint64_t bucket_count(int level)
{
    uint64_t count = FIRST_BUCKETS;
    while (level-- > 0)
        count *= GROWTH;
    return count;
}

static struct bucket *map_level(int level)
{
    void *memory = mmap(NULL, bucket_count(level) * sizeof(struct bucket), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct bucket *expected = NULL;
    if (__atomic_compare_exchange_n(&levels[level], &expected, (struct bucket *)memory, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return memory;
    munmap(memory, bucket_count(level) * sizeof(struct bucket)); /* another thread was faster */
    return expected;
}

bool handles_open(void)
{
    return levels[0] != NULL || map_level(0) != NULL;
}

static uint64_t name_of(enum handle_kind kind, uint64_t handle)
{
    return (handle << 3 | (uint64_t)kind) & ((1ull << GENERATION_SHIFT) - 1);
}

static uint64_t name_in(uint64_t key)
{
    return key & ((1ull << GENERATION_SHIFT) - 1);
}

static struct bucket *bucket_of(struct bucket *level_buckets, int level, uint64_t name)
{
    uint64_t hash = (name ^ name >> 17) * 0x9e3779b97f4a7c15u;
    return &level_buckets[(hash >> 32) & (bucket_count(level) - 1)];
}

struct handle handle_find(enum handle_kind kind, uint64_t handle)
{
    uint64_t name = name_of(kind, handle);
    for (int level = 0; level < LEVELS; level++) {
        struct bucket *buckets = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
        if (buckets == NULL)
            break;
        struct bucket *bucket = bucket_of(buckets, level, name);
        for (int i = 0; i < KEYS; i++) {
            uint64_t key = __atomic_load_n(&bucket->keys[i], __ATOMIC_ACQUIRE);
            if (name_in(key) == name)
                return (struct handle){&bucket->keys[i], key, &bucket->payloads[i]};
        }
    }
    return (struct handle){NULL, 0, NULL};
}

static union handle_payload *enter_in_bucket(struct bucket *bucket, uint64_t name)
{
    for (int i = 0; i < KEYS; i++) {
        uint64_t expected = 0;
        if (__atomic_load_n(&bucket->keys[i], __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&bucket->keys[i], &expected, name, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return &bucket->payloads[i];
    }
    return NULL;
}

union handle_payload *handle_enter(enum handle_kind kind, uint64_t handle)
{
    struct handle old = handle_find(kind, handle);
    uint64_t seen = old.seen;
    if (seen != 0 && __atomic_compare_exchange_n(old.key, &seen, seen + (1ull << GENERATION_SHIFT),
                                                 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return old.payload;
    uint64_t name = name_of(kind, handle);
    for (int level = 0; level < LEVELS; level++) {
        struct bucket *buckets = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
        if (buckets == NULL)
            buckets = map_level(level);
        if (buckets == NULL)
            break;
        union handle_payload *payload = enter_in_bucket(bucket_of(buckets, level, name), name);
        if (payload != NULL)
            return payload;
    }
    return NULL;
}

bool handle_remove(struct handle found)
{
    uint64_t seen = found.seen;
    return seen != 0 && __atomic_compare_exchange_n(found.key, &seen, 0, false, __ATOMIC_ACQ_REL,
                                                    __ATOMIC_RELAXED);
}
