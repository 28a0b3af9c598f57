/* Was a variable argument given? C does not tell, but the code of the call does: a caller that
 * gives a second argument writes it into its register shortly before the call.
 *
 * Used by the wrapper of MPI_Pcontrol alone, whose second argument is a name in IPM's form and
 * absent in mpiP's. Without one the register holds whatever was left there, perhaps a password.
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
