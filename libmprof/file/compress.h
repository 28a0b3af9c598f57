/* Compression of a finished rank file. Two back ends, chosen by CMake: compress_zstd.c and
 * compress_none.c. */
#ifndef MPROF_COMPRESS_H
#define MPROF_COMPRESS_H

#include <stddef.h>

/* zstd frame of `data` in `target`, with mprof_dictionary before it; the number of bytes, or 0:
 * store it as it is. */
size_t compress(void *target, size_t capacity, const void *data, size_t bytes);

#endif
