/* Is this the thread's own stack? Only there the words around a call may be read later, or walked.
 *
 * A program may call MPI on any stack: a coroutine's, a signal handler's, one of a runtime for
 * another language. Such a stack may end in a word that is no return address, and it may be
 * unmapped, or another one may take its place, while a path still names its words. A thread's own
 * stack, and the first stack of the process, stay where they are as long as the thread runs.
 *
 * Called by callsites.c for new paths only, on the thread whose stack it is.
 */
#ifndef MPROF_OWN_STACK_H
#define MPROF_OWN_STACK_H

#include <stdint.h>

/* Where the stack ends that `address`, near the stack pointer, lies on: all words from there to the
 * end may be read as long as this thread runs. 0 = it is not the thread's own. */
uintptr_t own_stack_end(uintptr_t address);

#endif
