/* The handle table (handles.h): what is not on the hot path. */
#include "handles.h"

#include <stddef.h>
#include <sys/mman.h>

/* Each level has eight times as many buckets as the one before. */
enum { LEVELS = 5, GROWTH_BITS = 3 };

struct handle_bucket *handles_first; /* levels[0] */
bool handles_are_one_at_a_time;
static struct handle_bucket *levels[LEVELS]; /* read and written atomically */

static size_t level_bytes(int level)
{
    return sizeof(struct handle_bucket) << (HANDLE_FIRST_BITS + GROWTH_BITS * level);
}

static struct handle_bucket *map_level(int level)
{
    void *memory = mmap(NULL, level_bytes(level), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct handle_bucket *expected = NULL;
    if (__atomic_compare_exchange_n(&levels[level], &expected, (struct handle_bucket *)memory,
                                    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return memory;
    munmap(memory, level_bytes(level)); /* another thread was faster */
    return expected;
}

bool handles_open(void)
{
    if (handles_first == NULL)
        __atomic_store_n(&handles_first, map_level(0), __ATOMIC_RELEASE);
    return handles_first != NULL;
}

static struct handle_bucket *bucket_of(struct handle_bucket *buckets, int level, uint64_t name)
{
    return &buckets[handle_hash(name) >> (64 - HANDLE_FIRST_BITS - GROWTH_BITS * level)];
}

struct handle handle_find_far(uint64_t name)
{
    for (int level = 0; level < LEVELS; level++) {
        struct handle_bucket *buckets = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
        if (buckets == NULL)
            break;
        struct handle_bucket *bucket = bucket_of(buckets, level, name);
        for (int i = 0; i < HANDLE_KEYS; i++) {
            uint64_t key = __atomic_load_n(&bucket->keys[i], __ATOMIC_ACQUIRE);
            if (((key ^ name) << (64 - HANDLE_NAME_BITS)) == 0)
                return (struct handle){&bucket->keys[i], key, &bucket->payloads[i]};
        }
    }
    return (struct handle){NULL, 0, NULL};
}

void handles_assume_one_at_a_time(void)
{
    handles_are_one_at_a_time = true;
}

/* A slot of the bucket that nobody has, now taken, the first place first; NULL = it is full. */
static union handle_payload *take_slot(struct handle_bucket *bucket, uint64_t name)
{
    unsigned first = (unsigned)(handle_hash(name) >> (64 - HANDLE_FIRST_BITS - HANDLE_KEYS_BITS));
    for (unsigned n = 0; n < HANDLE_KEYS; n++) {
        unsigned i = (first + n) % HANDLE_KEYS;
        uint64_t key = __atomic_load_n(&bucket->keys[i], __ATOMIC_RELAXED);
        if ((key == 0 || (key & HANDLE_REMOVED)) && handle_replace_key(&bucket->keys[i], key, name))
            return &bucket->payloads[i];
    }
    return NULL;
}

union handle_payload *handle_enter_far(uint64_t name)
{
    union handle_payload *payload = NULL;
    for (int level = 0; payload == NULL && level < LEVELS; level++) {
        struct handle_bucket *buckets = __atomic_load_n(&levels[level], __ATOMIC_ACQUIRE);
        if (buckets == NULL)
            buckets = map_level(level);
        if (buckets == NULL)
            break;
        payload = take_slot(bucket_of(buckets, level, name), name);
    }
    return payload;
}
