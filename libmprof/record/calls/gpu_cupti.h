/* NVIDIA's library of activities, CUPTI, where MPROF_GPU=kernels asks for it.
 *
 * It is looked for when the program first calls its GPU's driver after MPI_Init: where it is loaded
 * already, then by name (LD_LIBRARY_PATH), beside CUDA's runtime, then in CUDA_HOME. libmprof is
 * not linked with it and needs none of its headers. It serves one tool in a process: mprof
 * subscribes, so that no two tools get the other's records, and where another one was first it
 * stays with the driver's calls (mprof_gpu_source tells). Kernels are recorded as they run, never
 * one at a time.
 *
 * CUPTI gives records back in buffers, on a thread of its own, at the latest a second after their
 * work has ended. */
#ifndef MPROF_GPU_CUPTI_H
#define MPROF_GPU_CUPTI_H

#include <stdbool.h>

/* Once; outside of MPI, by the thread that calls the driver. Does nothing unless it is asked for.
 */
void gpu_cupti_start(void);

/* In MPI_Finalize: what was recorded so far comes, and then no more. */
void gpu_cupti_finish(void);

/* Is it a library of CUPTI's, which asks the driver for its own sake? */
bool gpu_cupti_is(const char *path);

/* In a child with a record of its own: it has no GPU. */
void gpu_cupti_forget(void);

#endif
