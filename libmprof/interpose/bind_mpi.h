/* Binding the program to its MPI: fills the tables of mpi_binding.h, once: in the constructor, when
 * a library is loaded (loader.h), or at the program's first MPI call. They never change after
 * that. */
#ifndef MPROF_BIND_MPI_H
#define MPROF_BIND_MPI_H

#include <stdbool.h>

/* False = no MPI was found. May be called from any thread, any number of times. */
bool bind_mpi(void);

#endif
