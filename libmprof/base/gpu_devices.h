/* Which GPUs the process has open: links of /proc/self/fd to device files of NVIDIA, of the
 * kernel's direct rendering (AMD, Intel) and of accelerators. Control devices, which every process
 * that looks for GPUs opens, do not count.
 *
 * Called once, when MPI_Finalize is entered, on that thread. */
#ifndef MPROF_GPU_DEVICES_H
#define MPROF_GPU_DEVICES_H

#include "base/text.h"

/* `gpu_devices`: "/dev/nvidia0,/dev/nvidia1", in order and each once; `gpu_sharing`: "MIG" or
 * "MPS", where several processes share a GPU on purpose. No texts where no GPU is open.
 * `descriptors`: the folder of links, /proc/self/fd. */
void gpu_devices_write_texts(struct text *text, const char *descriptors);

#endif
