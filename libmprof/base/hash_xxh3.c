/* Hashes by xxHash (data_hash.h). One piece of data needs no state: a third of the time for 8
 * bytes. */
#include "base/data_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= DATA_HASH_STATE_BYTES, "the state must fit");

static XXH3_state_t *state_of(struct data_hash *hash)
{
    return (XXH3_state_t *)(void *)hash->state;
}

bool data_hash_is_there(void)
{
    return true;
}

void data_hash_begin(struct data_hash *hash)
{
    hash->only = NULL;
    hash->only_bytes = 0;
    hash->many = false;
}

void data_hash_add_now(struct data_hash *hash, const void *data, size_t bytes)
{
    if (!hash->many) {
        XXH3_64bits_reset(state_of(hash));
        if (hash->only_bytes > 0)
            XXH3_64bits_update(state_of(hash), hash->only, hash->only_bytes);
        hash->many = true;
    }
    XXH3_64bits_update(state_of(hash), data, bytes);
}

void data_hash_add(struct data_hash *hash, const void *data, size_t bytes)
{
    if (bytes == 0)
        return;
    if (hash->many || hash->only_bytes > 0) {
        data_hash_add_now(hash, data, bytes);
        return;
    }
    hash->only = data;
    hash->only_bytes = bytes;
}

uint64_t data_hash_end(struct data_hash *hash)
{
    return hash->many ? XXH3_64bits_digest(state_of(hash))
                      : XXH3_64bits(hash->only, hash->only_bytes);
}
