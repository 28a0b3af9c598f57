/* Binding the program to its MPI: fills the tables of mpi_binding.h, once: in the constructor,
 * when a library is loaded (loader.h), or at the program's first MPI call. They never change after
 * that. From any thread. */
#ifndef MPROF_BIND_MPI_H
#define MPROF_BIND_MPI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "interpose/mpi_binding.h"

/* False = no MPI was found. May be called from any thread, any number of times. */
bool bind_mpi(void);

/* Other tools that wrap MPI in the same process: every tool gets every call once, as it would
 * without mprof.
 *
 *   - Preloaded behind libmprof.so, or linked with the program as a library (Darshan, Score-P,
 *     mpiP): the wrapper of X passes the call on to the tool's MPI_X, by mpi_next[].
 *   - Preloaded in front of libmprof.so: references to its MPI_X are redirected to our trampolines
 *     (loader.c), and the wrapper passes the call on to it in the same way.
 *   - Linked into the program itself: nothing can be put before its MPI_X. The PMPI_X that it calls
 *     leads to our wrapper instead, by entry_past_tools(). What the tool asks MPI on its own behalf
 *     is recognised by the stack: it is called inside a MPI_Y of the tool.
 *
 * A call of PMPI_X passes other tools by without mprof, and so it does with mprof; this includes
 * the calls of an MPI's Fortran libraries.
 */

/* For a reference to PMPI_X that is redirected: to our wrapper, and from there to PMPI_X. */
void *entry_past_tools(int function);

/* What MPI_X is without mprof: a tool's or the MPI's. NULL = there is none. */
void *native_definition(int function);

bool is_tool_in_front(void);                         /* is there one? */
bool is_in_tool(const void *address);                /* of a library that is a tool */
bool is_tool_at(uintptr_t load_address);             /* the same, of an object */
bool program_has_own(int function);                  /* does the program itself define MPI_X? */
bool is_tool_function(int function, const void *at); /* is this the tool's MPI_X? */

#endif
