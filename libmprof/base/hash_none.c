/* Built without xxHash: nothing is hashed (data_hash.h), and MPROF_RESULTS says so. */
#include "base/data_hash.h"

bool data_hash_is_there(void)
{
    return false;
}

void data_hash_begin(struct data_hash *hash)
{
    hash->many = false;
}

void data_hash_add_now(struct data_hash *hash, const void *data, size_t bytes)
{
    (void)hash;
    (void)data;
    (void)bytes;
}

void data_hash_add(struct data_hash *hash, const void *data, size_t bytes)
{
    data_hash_add_now(hash, data, bytes);
}

uint64_t data_hash_end(struct data_hash *hash)
{
    (void)hash;
    return 0;
}
