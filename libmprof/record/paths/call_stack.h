/* Walking the stack: the return addresses around an MPI call, and where on the stack each is; and
 * whether it is the thread's own stack, whose words alone may be read.
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
    const uintptr_t *slot; /* where it is on the stack, as it is there; NULL = not known */
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

/* ---- the thread's own stack ------------------------------------------------------------------ */

/* Is this the thread's own stack? Only its words may be walked, or read at a later call.
 *
 * A program may call MPI on any stack: a coroutine's, a signal handler's, one of a runtime for
 * another language. Such a stack may end in a word that is no return address. It may be unmapped or
 * replaced while a path still names its words. A thread's own stack, and the first stack of the
 * process, stay where they are as long as the thread runs.
 *
 * Called by callsites.c for new paths only, on the thread whose stack it is.
 */

/* The end of the stack that holds `address`, which is near the stack pointer. All words from there
 * to the end may be read as long as this thread runs. 0 = it is not the thread's own stack. */
uintptr_t own_stack_end(uintptr_t address);

/* Is this a signal handler on an alternate stack (sigaltstack) with little room left? */
bool own_stack_is_short(void);

#endif
