/* Is this the thread's own stack? Only its words may be walked, or read at a later call.
 *
 * A program may call MPI on any stack: a coroutine's, a signal handler's, one of a runtime for
 * another language. Such a stack may end in a word that is no return address. It may be unmapped or
 * replaced while a path still names its words. A thread's own stack, and the first stack of the
 * process, stay where they are as long as the thread runs.
 *
 * Called by callsites.c for new paths only, on the thread whose stack it is.
 */
#ifndef MPROF_OWN_STACK_H
#define MPROF_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* The end of the stack that holds `address`, which is near the stack pointer. All words from there
 * to the end may be read as long as this thread runs. 0 = it is not the thread's own stack. */
uintptr_t own_stack_end(uintptr_t address);

/* Is this a signal handler on an alternate stack (sigaltstack) with little room left? */
bool own_stack_is_short(void);

#endif
