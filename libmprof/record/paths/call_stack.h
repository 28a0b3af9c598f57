/* Walking the stack: the return addresses around an MPI call, and where on the stack each lies.
 *
 * Called by callsites.c for new paths only, on the thread whose stack it is; takes some
 * microseconds (on ARM twice as many, for the places of return addresses). Where the unwinder finds
 * no frames (code without unwind tables) the path ends.
 */
#ifndef MPROF_CALL_STACK_H
#define MPROF_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct stack_frame {
    uintptr_t return_address;
    const uintptr_t *slot; /* where it lies on the stack, as it lies there; NULL = not known */
};

/* The stack that is read. */
struct stack_range {
    uintptr_t begin;         /* the wrapper's frame, as path_wrapper_frame() names it */
    uintptr_t end;           /* nothing is read there or beyond; 0 = the stack may not be read */
    uintptr_t frame_pointer; /* that the outermost frame had as its own; 0 = not known */
};

/* Fills `frames` from the wrapper's caller outwards: the function whose frame is that at
 * `range->begin` returns to `return_address`. Returns how many there are, at least 1 and at most
 * `capacity`; `return_address` alone if the stack may not be read. `*cut` tells whether there are
 * more around. Sets `range->frame_pointer`. */
int walk_stack(const void *return_address, struct stack_range *range, struct stack_frame *frames,
               int capacity, int *cut);

/* Code that was generated while the program runs has no unwind tables, but mostly frame pointers.
 * Goes by them from the last frame, which is in no file, to the first one in a file that calls.
 * Returns how many frames there are then; as many as before if there is no such way. */
int walk_generated_code(struct stack_frame *frames, int count, int capacity,
                        const struct stack_range *range, bool (*is_in_file)(uintptr_t));

#endif
