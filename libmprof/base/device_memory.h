/* Is an address in the memory of a GPU, which this process cannot read? CUDA or HIP is asked if the
 * program has loaded it; else every buffer that MPI takes is in this process's own memory. Managed
 * memory can be read. Any thread, inside an MPI call. */
#ifndef MPROF_DEVICE_MEMORY_H
#define MPROF_DEVICE_MEMORY_H

#include <stdbool.h>

bool is_device_memory(const void *address);

#endif
