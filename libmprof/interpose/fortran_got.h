/* Calls of MPI that no trampoline sees: those of the MPI's own Fortran libraries are sent to our
 * wrappers, the others are listed.
 *
 * Fortran: these libraries call C functions. So Fortran needs no wrappers of its own, and no
 * knowledge of how a compiler mangles names.
 *
 * The loader patches them when they appear. Wrappers ask from any thread where a call comes from.
 */
#ifndef MPROF_FORTRAN_GOT_H
#define MPROF_FORTRAN_GOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hot.h"

/* Sends the PMPI calls of an MPI's Fortran libraries to our wrappers; those that were patched
 * before are left alone. */
void patch_fortran_libraries(void);

/* By its name, one of an MPI's Fortran libraries. */
bool is_fortran_library(const char *path);

/* Is this return address in one of an MPI's Fortran libraries? */
bool is_fortran_call(const void *return_address);

/* Is this the return address of a call that a Fortran library makes on its own behalf, inside its
 * function for something else than `function`? Then it is not the program's call. */
bool is_fortran_helper_call_there(const void *return_address, int function);
extern HIDDEN int fortran_libraries; /* how many there are in the process */

static inline bool is_fortran_helper_call(const void *return_address, int function)
{
    return __builtin_expect(fortran_libraries != 0, 0) &&
           is_fortran_helper_call_there(return_address, function);
}

/* ---- functions that are not covered ---------------------------------------------------------- */

/* What the program could call of MPI that libmprof would not see. Read once, for the profile. */

/* "MPIX_A (library), PMPI_B (the program)": what is linked and would not be seen; "" = nothing. */
void list_not_covered(char *text, size_t capacity);

#endif
