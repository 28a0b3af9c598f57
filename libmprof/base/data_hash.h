/* 64-bit hashes of data, by XXH3 of xxHash. hash_xxh3.c is built where the header xxhash.h is
 * there, hash_none.c elsewhere.
 *
 *     struct data_hash hash;
 *     data_hash_begin(&hash); data_hash_add(&hash, data, bytes); ... data_hash_end(&hash)
 *
 * How the data are cut does not matter. Any thread; nothing is allocated. */
#ifndef MPROF_DATA_HASH_H
#define MPROF_DATA_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DATA_HASH_STATE_BYTES = 1024 };

struct data_hash {
    const void *only; /* the data of the first data_hash_add(), as long as there is no other one */
    size_t only_bytes;
    bool many;
    _Alignas(64) unsigned char state[DATA_HASH_STATE_BYTES];
};

bool data_hash_is_there(void);
void data_hash_begin(struct data_hash *hash);

/* The data must stay as they are until data_hash_end(). */
void data_hash_add(struct data_hash *hash, const void *data, size_t bytes);
/* The data may change after it. */
void data_hash_add_now(struct data_hash *hash, const void *data, size_t bytes);

uint64_t data_hash_end(struct data_hash *hash);

#endif
