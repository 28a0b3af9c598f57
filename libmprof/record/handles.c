/* The handle table (handles.h). A key is 0 (never used) or removed << 63 | generation << 50 |
 * handle << 3 | kind: handles are 32-bit numbers or addresses of user space, below 2^47. */
#include "handles.h"

#include <stddef.h>
#include <sys/mman.h>

enum { KEYS = 8, LEVELS = 5, FIRST_BUCKETS = 256, GROWTH_SHIFT = 3, GENERATION_SHIFT = 50 };

static const uint64_t REMOVED = 1ull << 63;

struct bucket {
    uint64_t keys[KEYS]; /* read and written atomically, as are the levels */
    union handle_payload payloads[KEYS];
};

static struct bucket *levels[LEVELS];

static uint64_t bucket_count(int level)
{
    return (uint64_t)FIRST_BUCKETS << (GROWTH_SHIFT * level);
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

/* Where in its bucket a name is looked for first, and so mostly is. */
static unsigned first_place(uint64_t name)
{
    return (unsigned)(name >> 3 ^ name >> 9) % KEYS;
}

static __attribute__((noinline)) struct handle search_name(uint64_t name)
{
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

/* The slot of this name, also when its handle was removed. */
static inline struct handle find_name(uint64_t name)
{
    struct bucket *buckets = __atomic_load_n(&levels[0], __ATOMIC_ACQUIRE);
    if (__builtin_expect(buckets == NULL, 0))
        return (struct handle){NULL, 0, NULL};
    struct bucket *bucket = bucket_of(buckets, 0, name);
    unsigned place = first_place(name);
    uint64_t key = __atomic_load_n(&bucket->keys[place], __ATOMIC_ACQUIRE);
    if (__builtin_expect(name_in(key) == name, 1))
        return (struct handle){&bucket->keys[place], key, &bucket->payloads[place]};
    return search_name(name);
}

struct handle handle_find(enum handle_kind kind, uint64_t handle)
{
    struct handle found = find_name(name_of(kind, handle));
    found.seen = found.seen & REMOVED ? 0 : found.seen;
    return found;
}

static bool one_at_a_time;

void handles_assume_one_at_a_time(void)
{
    one_at_a_time = true;
}

bool handles_are_one_at_a_time(void)
{
    return one_at_a_time;
}

static bool replace_key(uint64_t *key, uint64_t seen, uint64_t wanted)
{
    if (one_at_a_time) {
        bool unchanged = *key == seen;
        if (unchanged)
            *key = wanted;
        return unchanged;
    }
    return __atomic_compare_exchange_n(key, &seen, wanted, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* A slot of the bucket that nobody has, now taken; NULL = it is full. */
static union handle_payload *take_slot(struct bucket *bucket, uint64_t name)
{
    for (unsigned n = 0; n < KEYS; n++) {
        unsigned i = (first_place(name) + n) % KEYS;
        uint64_t key = __atomic_load_n(&bucket->keys[i], __ATOMIC_RELAXED);
        if ((key == 0 || (key & REMOVED)) && replace_key(&bucket->keys[i], key, name))
            return &bucket->payloads[i];
    }
    return NULL;
}

/* MPI libraries give the same few handles out again and again: mostly the slot is there, removed.
 */
static union handle_payload *take_over(struct handle old)
{
    uint64_t next = (old.seen + (1ull << GENERATION_SHIFT)) & ~REMOVED;
    return old.seen != 0 && replace_key(old.key, old.seen, next) ? old.payload : NULL;
}

union handle_payload *handle_enter(enum handle_kind kind, uint64_t handle)
{
    uint64_t name = name_of(kind, handle);
    union handle_payload *payload = take_over(find_name(name));
    for (int level = 0; payload == NULL && level < LEVELS; level++) {
        struct bucket *buckets = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
        if (buckets == NULL)
            buckets = map_level(level);
        if (buckets == NULL)
            break;
        payload = take_slot(bucket_of(buckets, level, name), name);
    }
    return payload;
}

bool handle_remove(struct handle found)
{
    return found.seen != 0 && replace_key(found.key, found.seen, found.seen | REMOVED);
}
