/* compress.h with libzstd, linked statically and with hidden symbols: an application may bring
 * another version. */
#include <zstd.h>

#include "compress.h"

size_t compress(void *target, size_t capacity, const void *data, size_t bytes)
{
    enum { LEVEL = 12 }; /* 4 % smaller than 3 and 0.3 ms more; 19: 2 % smaller again and 7 ms */
    size_t stored = ZSTD_compress(target, capacity, data, bytes, LEVEL);
    return ZSTD_isError(stored) ? 0 : stored;
}
