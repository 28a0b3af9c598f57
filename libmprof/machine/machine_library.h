/* Finds and opens the MPI library that belongs to the launcher, and says which ABI it has. */
#ifndef MPROF_MACHINE_LIBRARY_H
#define MPROF_MACHINE_LIBRARY_H

#include <stdbool.h>

#include "machine/mpi_layer.h"

struct machine_library {
    void *handle;
    char path[1024];
    const char *abi; /* a family of api/abi_facts.txt */
    const struct mpi_layer *layer;
};

/* `named`: the file that the user named, or NULL. `launcher`: where the launcher is, or NULL.
 * False, with a message on standard error, if there is none. */
bool open_machine_library(const char *named, const char *launcher, struct machine_library *library);

/* How many ranks the launcher says that it started; 0 = it does not say. And which one this is. */
int ranks_by_launcher(void);
int rank_by_launcher(void);

#endif
