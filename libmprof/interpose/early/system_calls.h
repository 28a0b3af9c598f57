/* System calls without libc, for code that runs while the dynamic linker is at work (early.h): what
 * libc's functions call may be interposed by a program that is not relocated yet. They set no
 * errno. */
#ifndef MPROF_EARLY_SYSTEM_CALLS_H
#define MPROF_EARLY_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
static inline long system_call(long number, long first, long second, long third, long fourth)
{
    register long in_r10 __asm__("r10") = fourth;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(in_r10)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static inline long system_call(long number, long first, long second, long third, long fourth)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
#endif

/* Is something mapped there? The address must begin a page. */
static inline bool is_mapped(uintptr_t address)
{
    enum { ASYNC = 1 };
    return system_call(SYS_msync, (long)address, 1, ASYNC, 0) == 0;
}

/* The kernel refuses an address that begins no page, and does nothing to 0 bytes. */
static inline uintptr_t find_page_size(void)
{
    enum { ASYNC = 1, LARGEST = 65536 };
    uintptr_t size = 4096;
    while (size < LARGEST && system_call(SYS_msync, (long)size, 0, ASYNC, 0) != 0)
        size *= 2;
    return size;
}

#endif
