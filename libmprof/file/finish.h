/* Writes the finished rank file in the live file's place, after MPI_Finalize. */
#ifndef MPROF_FINISH_H
#define MPROF_FINISH_H

#include <stdbool.h>

/* False with errno set: then the live file is still there, with the same content. Nothing may be
 * recorded meanwhile. */
bool finish_file(const char *path);

#endif
