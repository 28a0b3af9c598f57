/* Memory that only this process sees, zeroed. Taken in the middle of a call of the program, so
 * errno stays as it is. NULL = there is none. */
#ifndef MPROF_PRIVATE_MEMORY_H
#define MPROF_PRIVATE_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

static inline void *map_private(size_t bytes)
{
    int program_errno = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = program_errno;
    return memory == MAP_FAILED ? NULL : memory;
}

/* Memory that is used again and again, of no content in between. */
struct grown_memory {
    void *memory;
    size_t bytes;
};

/* Makes it so large at least; false = there is none. */
static inline bool grow_memory(struct grown_memory *grown, size_t wanted)
{
    size_t bytes = 4096;
    if (wanted <= grown->bytes)
        return true;
    while (bytes < wanted)
        bytes *= 2;
    void *memory = map_private(bytes);
    if (memory == NULL)
        return false;
    if (grown->memory != NULL)
        munmap(grown->memory, grown->bytes);
    grown->memory = memory;
    grown->bytes = bytes;
    return true;
}

#endif
