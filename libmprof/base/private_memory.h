/* Memory that only this process sees, zeroed. Taken in the middle of a call of the program, so
 * errno stays as it is. NULL = there is none.
 *
 * By the system calls themselves: before mmap() and munmap() there may be functions of a library
 * that watches memory for a network (UCX), with a lock of its own. A thread that is cancelled or
 * left inside would leave that locked. It need not see this memory, which no message is in. */
#ifndef MPROF_PRIVATE_MEMORY_H
#define MPROF_PRIVATE_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MPROF_SHOWS_MEMORY 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define MPROF_SHOWS_MEMORY 1
#endif

/* As mmap() of the beginning of the file, for reading and writing. */
static inline void *map_memory(size_t bytes, int flags, int file)
{
    int program_errno = errno;
#ifdef MPROF_SHOWS_MEMORY /* to the sanitizer */
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
#else
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    void *memory =
        (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, file, (off_t)0);
#endif
    errno = program_errno;
    return memory == MAP_FAILED ? NULL : memory;
}

static inline void *map_private(size_t bytes)
{
    return map_memory(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

static inline void unmap_memory(void *memory, size_t bytes)
{
#ifdef MPROF_SHOWS_MEMORY
    munmap(memory, bytes);
#else
    syscall(SYS_munmap, memory, bytes);
#endif
}

/* Its pages are 0 in a child. */
static inline void wipe_on_fork(void *memory, size_t bytes)
{
    syscall(SYS_madvise, memory, bytes, MADV_WIPEONFORK);
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
        unmap_memory(grown->memory, grown->bytes);
    grown->memory = memory;
    grown->bytes = bytes;
    return true;
}

#endif
