/* Walking the stack: the return addresses around an MPI call, and where on the stack each lies.
 *
 * Called by callsites.c for new paths only, on the thread whose stack it is; takes some
 * microseconds. Where the unwinder finds no frames (code without unwind tables) the path ends.
 */
#ifndef MPROF_CALL_STACK_H
#define MPROF_CALL_STACK_H

#include <stdint.h>

struct stack_frame {
    uintptr_t return_address;
    const uintptr_t *slot; /* where it lies on the stack, as it lies there; NULL = not known */
};

/* Fills `frames` from the wrapper's caller outwards: the function whose frame begins at `cfa` (its
 * canonical frame address) returns to `return_address`. Returns how many there are, at least 1 and
 * at most `capacity`. `*cut` tells whether there are more around. Nothing is read at `stack_end` or
 * beyond; 0 = the stack may not be read, and the answer is `return_address` alone. */
int walk_stack(const void *return_address, const void *cfa, uintptr_t stack_end,
               struct stack_frame *frames, int capacity, int *cut);

#endif
