/* compress.h with libzstd, linked statically and with hidden symbols: an application may bring
 * another version. */
#include <zstd.h>

#include "compress.h"

size_t compress(void *target, size_t capacity, const void *data, size_t bytes)
{
    size_t stored = ZSTD_compress(target, capacity, data, bytes, 3);
    return ZSTD_isError(stored) ? 0 : stored;
}
