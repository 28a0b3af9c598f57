/* A second MPI in this process: libraries that were opened for their own use only, each linked with
 * another MPI. The first one is profiled. The calls of the others go where they go without mprof,
 * and the report names these MPIs.
 *
 * Called where the linker's lock is not held. */
#ifndef MPROF_SECOND_MPI_H
#define MPROF_SECOND_MPI_H

#include <stdbool.h>
#include <stddef.h>

/* Looks at what was loaded since the last time, once an MPI was found. With look_around()'s lock.
 */
void second_mpi_look(void);
void second_mpi_forget(void); /* something was unloaded */

/* Is the object that is loaded there linked with another MPI than the one that is profiled? */
bool second_mpi_has(unsigned long load_address);

/* "libmpi.so.40 (a second MPI)", of those that a library is linked with; "" = there is none. */
void second_mpi_list(char *names, size_t capacity);

#endif
