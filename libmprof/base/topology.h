/* The node that this process runs on, and its place there, as texts of the profile (format.md):
 * `cpu`, `cpus_allowed`, `core_cpus`, `numa_cpus`, limits of the control group, and `node.*`.
 *
 * From the kernel's own files, which list what libhwloc would, in half a millisecond and without a
 * library in the application's process. Called once, after MPI_Init, which may have bound us. */
#ifndef MPROF_TOPOLOGY_H
#define MPROF_TOPOLOGY_H

#include "base/text.h"

void topology_write_texts(struct text *text);

#endif
