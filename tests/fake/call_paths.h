/* The MPI that call_paths.c calls: a real one, or the fake one, for which there need not be an
 * mpi.h. */
#ifndef CALL_PATHS_H
#define CALL_PATHS_H

#ifdef WITH_MPI
#include <mpi.h>
#else
enum { MPI_COMM_WORLD = 0x44000000, MPI_DOUBLE = 0x4c00080b, MPI_PROC_NULL = -1 };
int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Send(const void *data, int count, int type, int dest, int tag, int comm);
#endif

void send_from_library(double *data);

#endif
