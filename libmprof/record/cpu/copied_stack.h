/* Walking a copy of a stack: who called the function that a sample is in (sample_paths.c).
 *
 * The kernel copies the registers and the innermost bytes of the stack with a sample. The copy is
 * read as the unwind tables of the program say (.eh_frame), so code needs no frame pointers. They
 * are found by libgcc, which is linked statically. libgcc cannot walk a copy. Nothing is allocated,
 * and no word of the program's stack itself is read.
 *
 * The walk ends where the copy ends, at code without tables, and at what this does not know. Only
 * on x86-64; elsewhere no registers are asked for and no stacks are copied.
 *
 * The caller holds the loader (modules_hold()): tables of a library that is unloaded are gone.
 */
#ifndef MPROF_COPIED_STACK_H
#define MPROF_COPIED_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "record/cpu/cpu_ring.h"

/* As the debugging format numbers them, the last one is the program counter. */
enum { COPIED_REGISTERS = 17, COPIED_STACK_POINTER = 7, COPIED_COUNTER = 16 };

struct copied_stack {
    uint64_t registers[COPIED_REGISTERS];
    const struct cpu_ring_data *ring; /* that holds the copied bytes */
    uint64_t at;                      /* where in it; the first is that at the stack pointer */
    uint64_t bytes;
};

/* What to ask the kernel for; 0 = none. */
extern const uint64_t copied_stack_registers;

/* The stack of a sample; false = it has none. */
bool copied_stack_of(const struct cpu_ring_sample *sample, struct copied_stack *stack);

/* The return addresses, from the innermost outwards. Returns how many, at most `capacity`. */
int copied_stack_walk(const struct copied_stack *stack, uintptr_t *addresses, int capacity);

#endif
