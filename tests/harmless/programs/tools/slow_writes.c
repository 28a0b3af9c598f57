/* Preloaded beside libmprof.so: what is written at a place of a file takes long, as on a file
 * system that is busy. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

enum { LONGER_US = 20000 };

ssize_t pwrite(int file, const void *from, size_t bytes, off_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off_t) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "pwrite");
    const ssize_t written = next(file, from, bytes, offset);
    usleep(LONGER_US);
    return written;
}
