/* What the program could call of MPI that libmprof would not see. Read once, for the profile. */
#ifndef MPROF_NOT_COVERED_H
#define MPROF_NOT_COVERED_H

#include <stddef.h>

/* "MPIX_A (library), PMPI_B (the program)": what is linked and would not be seen; "" = nothing. */
void list_not_covered(char *text, size_t capacity);

#endif
