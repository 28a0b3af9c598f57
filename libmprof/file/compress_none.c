/* live_file.h where there is no static libzstd: sections are stored as they are. */
#include "file/live_file.h"

size_t compress(void *target, size_t capacity, const void *data, size_t bytes)
{
    (void)target;
    (void)capacity;
    (void)data;
    (void)bytes;
    return 0;
}
