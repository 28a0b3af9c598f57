/* Failures for libmprof. This file is linked into a libmprof.so of its own with ld's --wrap: each
 * call that libmprof makes of a function below comes through here (CMakeLists.txt makes the options
 * from the rows). What the program and the MPI call is not touched.
 *
 *   MPROF_TEST_FAULT_LOG=FILE    FILE.<rank>: "FUNCTION@SITE COUNT" for each place that called one
 *   MPROF_TEST_FAULT=FUNCTION@SITE#N:HOW:RANK   the N-th call from that place fails on this rank;
 *                                               with "all", on every rank
 *
 * HOW is one of:
 *
 *   error    the error of the function's row
 *   NUMBER   this errno instead
 *   short    half of the bytes
 *   since    the row's error, and so for all later calls of FUNCTION, from any place
 *
 * A site is the offset of the return address in the library. Arguments pass as six words: that is
 * right on x86-64 and aarch64 for all functions with up to six integers and pointers.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char __ehdr_start[] __attribute__((visibility("hidden")));

enum { MOST_SITES = 512 };
static struct {
    const char *name;
    uintptr_t site;
    unsigned count;
} sites[MOST_SITES];
static unsigned site_count;
static int lock;

static struct {
    bool known;
    bool is_short;
    bool goes_on;
    bool has_begun;
    int error;
    char name[64];
    uintptr_t site;
    unsigned number;
} wanted;

static const char *rank(void)
{
    const char *of_openmpi = getenv("OMPI_COMM_WORLD_RANK");
    const char *of_mpich = getenv("PMI_RANK");
    if (of_openmpi != NULL)
        return of_openmpi;
    return of_mpich != NULL ? of_mpich : "0";
}

/* The last destructor. */
static void __attribute__((destructor(101))) write_log(void)
{
    char path[4096];
    if (getenv("MPROF_TEST_FAULT_LOG") == NULL)
        return;
    snprintf(path, sizeof path, "%s.%s", getenv("MPROF_TEST_FAULT_LOG"), rank());
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return;
    for (unsigned i = 0; i < site_count; i++)
        fprintf(file, "%s@%lx %u\n", sites[i].name, (unsigned long)sites[i].site, sites[i].count);
    fclose(file);
}

static void learn(void)
{
    const char *text = getenv("MPROF_TEST_FAULT");
    unsigned long site = 0;
    char how[16];
    char on_rank[16];
    wanted.known = true;
    if (text == NULL || sscanf(text, "%63[^@]@%lx#%u:%15[^:]:%15s", wanted.name, &site,
                               &wanted.number, how, on_rank) != 5)
        return;
    if (strcmp(on_rank, "all") != 0 && strcmp(on_rank, rank()) != 0)
        return;
    wanted.site = site;
    wanted.is_short = strcmp(how, "short") == 0;
    wanted.goes_on = strcmp(how, "since") == 0;
    wanted.error = atoi(how);
}

static unsigned count_call(const char *name, uintptr_t site)
{
    unsigned i = 0;
    while (i < site_count && (sites[i].site != site || strcmp(sites[i].name, name) != 0))
        i++;
    if (i == MOST_SITES)
        return 0;
    if (i == site_count) {
        sites[i].name = name;
        sites[i].site = site;
        site_count++;
    }
    return ++sites[i].count;
}

static bool fails(const char *name, const void *caller)
{
    uintptr_t site = (uintptr_t)caller - (uintptr_t)__ehdr_start;
    int program_errno = errno;
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0)
        ;
    if (!wanted.known)
        learn();
    unsigned number = count_call(name, site);
    bool now = false;
    if (wanted.site != 0 && strcmp(name, wanted.name) == 0) {
        now = number == wanted.number && site == wanted.site;
        wanted.has_begun = wanted.has_begun || now;
        now = now || (wanted.goes_on && wanted.has_begun);
    }
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    errno = program_errno;
    return now;
}

#define WRAP(function, when_it_fails)                                                            \
    long __real_##function(long a, long b, long c, long d, long e, long f);                      \
    __attribute__((visibility("hidden"))) long __wrap_##function(long a, long b, long c, long d, \
                                                                 long e, long f);                \
    long __wrap_##function(long a, long b, long c, long d, long e, long f)                       \
    {                                                                                            \
        if (fails(#function, __builtin_return_address(0)))                                       \
            when_it_fails;                                                                       \
        return __real_##function(a, b, c, d, e, f);                                              \
    }

static long failed(long result, int error)
{
    errno = wanted.error != 0 ? wanted.error : error;
    return result;
}

static long failed_with(int error)
{
    return wanted.error != 0 ? wanted.error : error;
}

static long half(long bytes)
{
    return wanted.is_short ? (bytes + 1) / 2 : bytes;
}

/* Those that say so with errno, and those whose result is the error. */
#define FAULT(function, result, error) WRAP(function, return failed(result, error))
#define RETURNED(function, error) WRAP(function, return failed_with(error))
/* Those with a number of bytes in their third argument. */
#define THIRD(function, error) \
    WRAP(function,             \
         return wanted.is_short ? __real_##function(a, b, half(c), d, e, f) : failed(-1, error))

/* Memory */
WRAP(arena_allocate, return 0)
FAULT(mmap, -1, ENOMEM)
FAULT(munmap, -1, ENOMEM)
FAULT(shmget, -1, ENOMEM)
FAULT(shmat, -1, ENOMEM)
FAULT(shmdt, -1, EINVAL)
FAULT(shmctl, -1, EPERM)
FAULT(mprotect, -1, ENOMEM)
FAULT(madvise, -1, EAGAIN)
FAULT(mincore, -1, EAGAIN)
FAULT(malloc, 0, ENOMEM)
FAULT(calloc, 0, ENOMEM)
FAULT(realpath, 0, ENOMEM)
FAULT(process_vm_readv, -1, EPERM)
/* Threads and processes */
RETURNED(__register_atfork, ENOMEM)
RETURNED(pthread_key_create, EAGAIN)
RETURNED(pthread_setspecific, ENOMEM)
RETURNED(pthread_getattr_np, ENOMEM)
RETURNED(pthread_attr_getstack, EINVAL)
RETURNED(pthread_mutex_trylock, EBUSY)
RETURNED(pthread_setcancelstate, EINVAL)
WRAP(lock_take, return 0)
WRAP(lock_try, return 0)
/* Files */
FAULT(open, -1, EMFILE)
FAULT(openat, -1, EMFILE)
FAULT(close, -1, EIO)
FAULT(fcntl, -1, EINVAL)
FAULT(fstat, -1, EIO)
FAULT(fstatvfs, -1, EIO)
FAULT(fstatfs, -1, ENOSYS)
FAULT(fstatat, -1, EIO)
FAULT(lstat, -1, EIO)
FAULT(stat, -1, EIO)
FAULT(lseek, -1, ESPIPE)
THIRD(read, EIO)
THIRD(write, ENOSPC)
THIRD(pread, EIO)
THIRD(pwrite, ENOSPC)
FAULT(ftruncate, -1, EIO)
RETURNED(posix_fallocate, ENOSPC)
FAULT(poll, -1, ENOMEM)
THIRD(send, ECONNRESET)
FAULT(tcgetpgrp, -1, ENOTTY)
FAULT(tcgetattr, -1, EIO)
FAULT(sigaltstack, -1, ENOMEM)
FAULT(getpeername, -1, ENOBUFS)
FAULT(getsockopt, -1, ENOBUFS)
/* Folders and names */
FAULT(mkdir, -1, EACCES)
FAULT(renameat, -1, EACCES)
FAULT(rmdir, -1, EACCES)
FAULT(unlinkat, -1, EACCES)
FAULT(symlinkat, -1, EACCES)
THIRD(readlink, EACCES)
FAULT(readlinkat, -1, EACCES)
FAULT(opendir, 0, EMFILE)
FAULT(fdopendir, 0, ENOMEM)
FAULT(readdir, 0, EIO)
FAULT(getcwd, 0, ENOENT)
FAULT(gethostname, -1, EPERM)
FAULT(uname, -1, EFAULT)
/* The system */
FAULT(kill, -1, EPERM)
FAULT(getrlimit, -1, EPERM)
FAULT(getrusage, -1, EPERM)
FAULT(syscall, -1, ENOSYS)
FAULT(clock_gettime, -1, EINVAL)
FAULT(dladdr, 0, 0)
FAULT(localtime_r, 0, EOVERFLOW)
FAULT(newlocale, 0, ENOMEM)
