/* Walking a copy of a stack: who called the function that a sample is in (cpu_samples.c).
 *
 * The kernel copies the registers and the innermost bytes of the stack with a sample. The copy is
 * read as the unwind tables of the program say (unwind_rules.h), so code needs no frame pointers.
 * Nothing is allocated, and no word of the program's stack itself is read.
 *
 * The walk ends where the copy ends, at code without tables, and at what this does not know.
 *
 * The caller holds the loader (modules_hold()): tables of a library that is unloaded are gone.
 */
#ifndef MPROF_COPIED_STACK_H
#define MPROF_COPIED_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "record/cpu/cpu_ring.h"
#include "record/paths/unwind_rules.h"

/* As the debugging format numbers them, and the program counter. On x86-64 that has the number of
 * the return address. */
#if defined(__x86_64__)
enum { COPIED_REGISTERS = UNWIND_REGISTERS, COPIED_COUNTER = UNWIND_RETURN };
#else
enum { COPIED_REGISTERS = UNWIND_REGISTERS + 1, COPIED_COUNTER = UNWIND_REGISTERS };
#endif

struct copied_stack {
    uint64_t registers[COPIED_REGISTERS];
    const struct cpu_ring_data *ring; /* that holds the copied bytes */
    uint64_t at;                      /* where in it; the first is that at the stack pointer */
    uint64_t bytes;
};

/* What to ask the kernel for. */
extern const uint64_t copied_stack_registers;

/* The stack of a sample; false = it has none. */
bool copied_stack_of(const struct cpu_ring_sample *sample, struct copied_stack *stack);

/* The return addresses, from the innermost outwards. Returns how many, at most `capacity`. */
int copied_stack_walk(const struct copied_stack *stack, uintptr_t *addresses, int capacity);

#endif
