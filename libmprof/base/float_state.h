/* The floating-point environment is the program's: what mprof computes may raise no flag there, no
 * trap (feenableexcept()), and may not depend on the program's rounding.
 *
 * Around computing with doubles, which is in another function that is not inlined, so that no
 * instruction of it is moved out:
 *
 *     float_state state = float_hold();      default rounding, no traps
 *     compute();
 *     float_release(state);                  as it was, flags included
 *
 * Not by fenv.h, which is in libm. The x87 unit is not held: mprof never uses it.
 */
#ifndef MPROF_FLOAT_STATE_H
#define MPROF_FLOAT_STATE_H

#include <stdint.h>

typedef uint64_t float_state;

static inline float_state float_hold(void)
{
#if defined(__x86_64__)
    uint32_t state;
    const uint32_t quiet = 0x1f80;
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(state) : "m"(quiet) : "memory");
    return state;
#else
    uint64_t control;
    uint64_t status;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr\n\tmsr fpcr, xzr"
                     : "=&r"(control), "=&r"(status)
                     :
                     : "memory");
    return control << 32 | (uint32_t)status;
#endif
}

static inline void float_release(float_state state)
{
#if defined(__x86_64__)
    const uint32_t word = (uint32_t)state;
    __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
#else
    __asm__ volatile("msr fpsr, %1\n\tmsr fpcr, %0"
                     :
                     : "r"(state >> 32), "r"(state & UINT32_MAX)
                     : "memory");
#endif
}

#endif
