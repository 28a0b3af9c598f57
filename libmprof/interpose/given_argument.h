/* Was a variable argument given? C does not say. The code of the call does: whoever gives a second
 * argument puts it into its register on the way to the call.
 *
 * Used by the wrapper of MPI_Pcontrol alone, whose argument after the level is a name in IPM's form
 * and nothing in mpiP's; without one the register holds whatever was left there, a password maybe.
 */
#ifndef MPROF_GIVEN_ARGUMENT_H
#define MPROF_GIVEN_ARGUMENT_H

#include <stdbool.h>

/* True if it is certain that the call which returns to `return_address` gave a second argument: in
 * the straight run of instructions before it, with no call, jump or return between, the argument's
 * register is written and not used by anything again; `argument` is what it holds. A compiler does
 * that for an argument only. False on other architectures than x86-64, where the code cannot be
 * read, and where the call is not one of `entry` (a function that was called there and jumped on to
 * MPI). */
bool second_argument_was_given(const void *return_address, const void *argument, const void *entry);

#endif
