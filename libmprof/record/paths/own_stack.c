/* own_stack.h. The C library knows the stacks of threads. The first stack of the process grows, and
 * the C library takes its size from the limit. With `ulimit -s unlimited` that is all memory below,
 * where stacks of coroutines may lie. So this stack is followed down page by page. All that is
 * mapped without a hole up to its end belongs to it, because the kernel keeps other mappings 1 MiB
 * away from a stack that grows. */
#define _GNU_SOURCE
#include "record/paths/own_stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES_PER_LOOK = 64 };

/* Read and written atomically; `end` does not change, and `begin` only goes down. */
static struct {
    uintptr_t begin; /* everything from here on is known to be mapped; 0 = not looked yet */
    uintptr_t end;
} first_stack;

/* Of a thread that is not the first one. */
static __thread struct {
    bool known;
    uintptr_t begin;
    uintptr_t end; /* 0 = the C library does not know */
} thread_stack __attribute__((tls_model("initial-exec")));

static bool is_mapped(uintptr_t begin, uintptr_t end)
{
    unsigned char pages[PAGES_PER_LOOK];
    int program_errno = errno;
    bool mapped = mincore((void *)begin, end - begin, pages) == 0; /* NOLINT(performance-*) */
    errno = program_errno;
    return mapped;
}

static bool is_on_first_stack(uintptr_t address)
{
    uintptr_t page = (uintptr_t)getauxval(AT_PAGESZ);
    uintptr_t begin = __atomic_load_n(&first_stack.begin, __ATOMIC_ACQUIRE);
    if (begin == 0) { /* the kernel lays 16 random bytes above the frames of the program */
        uintptr_t end = (uintptr_t)getauxval(AT_RANDOM);
        begin = end / page * page;
        __atomic_store_n(&first_stack.end, end, __ATOMIC_RELAXED);
        __atomic_store_n(&first_stack.begin, begin, __ATOMIC_RELEASE);
    }
    if (address >= __atomic_load_n(&first_stack.end, __ATOMIC_RELAXED))
        return false;
    while (address < begin) {
        uintptr_t wanted = address / page * page;
        if (begin - wanted > PAGES_PER_LOOK * page)
            wanted = begin - PAGES_PER_LOOK * page;
        if (!is_mapped(wanted, begin))
            return false;
        begin = wanted;
        __atomic_store_n(&first_stack.begin, begin, __ATOMIC_RELAXED);
    }
    return true;
}

static bool is_first_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

static void learn_thread_stack(void)
{
    pthread_attr_t attributes;
    void *begin;
    size_t bytes;
    thread_stack.known = true;
    /* Of the first thread it would read all of /proc/self/maps. */
    if (is_first_thread() || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
        thread_stack.begin = (uintptr_t)begin;
        thread_stack.end = thread_stack.begin + bytes;
    }
    pthread_attr_destroy(&attributes);
}

uintptr_t own_stack_end(uintptr_t address)
{
    if (!thread_stack.known)
        learn_thread_stack();
    if (address >= thread_stack.begin && address < thread_stack.end)
        return thread_stack.end;
    return is_on_first_stack(address) ? first_stack.end : 0;
}

/* What reads files of the kernel or walks stacks of samples needs less. */
enum { SHORT_BYTES = 64 * 1024 };

bool own_stack_is_short(void)
{
    stack_t alternate;
    return sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_ONSTACK) != 0 &&
           (uintptr_t)&alternate - (uintptr_t)alternate.ss_sp < SHORT_BYTES;
}
