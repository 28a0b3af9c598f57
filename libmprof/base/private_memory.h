/* Memory that only this process sees, zeroed. Taken in the middle of a call of the program, so
 * errno stays as it is. NULL = there is none. */
#ifndef MPROF_PRIVATE_MEMORY_H
#define MPROF_PRIVATE_MEMORY_H

#include <errno.h>
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

#endif
