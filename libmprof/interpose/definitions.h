/* Where a function of MPI is defined, as dlsym() tells, but faster.
 *
 * dlsym() asks one library after the other for each name, and writes an error for a name that none
 * has. For 700 names, twice, this took 3 ms whenever a program with MPI started. Mostly no other
 * object than the MPI library defines such a name, which the Bloom filters of their symbol tables
 * say. Then the answer is the library's own symbol. In any other case dlsym() is asked.
 *
 * Another thread may unload an object at any time, but not the MPI library, which is held. So the
 * others are read in one go, with the linker's lock.
 *
 * Called by bind_mpi.c and other_tools.c while the tables are filled, with its lock held. */
#ifndef MPROF_DEFINITIONS_H
#define MPROF_DEFINITIONS_H

#include "interpose/mpi_binding.h"

/* Looks at what is loaded now. To be called before the others. */
void definitions_open(const struct mpi_library *library);

/* PMPI_X as dlsym() finds it with the library's handle; or MPI_X where a library lacks the
 * profiling name (MPICH's ABI library for functions removed in MPI 3.0). NULL = there is none. */
void *definition_in_mpi(int function);

/* MPI_X as dlsym() finds it with RTLD_NEXT, if that finds what the MPI library defines. NULL =
 * there is none. */
void *definition_after_us(int function);

#endif
