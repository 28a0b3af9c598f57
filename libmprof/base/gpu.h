/* The GPUs of this process: which it has open, and which addresses are in their memory. */
#ifndef MPROF_GPU_H
#define MPROF_GPU_H

#include <stdbool.h>

#include "base/warn.h"
#include "mprof/format/format.h"

/* Once, when MPI_Finalize is entered: which are open, by the links of /proc/self/fd to device files
 * of NVIDIA, of the kernel's direct rendering (AMD, Intel) and of accelerators. Control devices,
 * which every process that looks for GPUs opens, do not count.
 *
 * `gpu_devices`: "/dev/nvidia0,/dev/nvidia1", in order and each once; `gpu_sharing`: "MIG" or
 * "MPS", where several processes share a GPU on purpose. No texts where no GPU is open.
 * `descriptors`: the folder of links, /proc/self/fd. */
void gpu_devices_write_texts(struct text *text, const char *descriptors);

/* `gpu_uuid`, of the one that this thread's context of CUDA is on: "GPU-3f2a...". Nothing without
 * a context: none is made, and nothing waits. */
void gpu_uuid_write_text(struct text *text);

/* `gpu_cpus`: the CPUs that this GPU is attached to, as the kernel lists them, "0-15,32-47".
 * Nothing where it does not say. The second one is told the GPU's place on the bus, and the folder
 * of devices, /sys/bus/pci/devices. */
void gpu_cpus_write_text(struct text *text);
void gpu_cpus_of_write_text(struct text *text, const char *bus_id, const char *devices);

/* The program has got a function of a driver, so that it may have memory on a GPU from now on. */
void gpu_driver_appeared(void);

/* Is this address in the memory of a GPU, which this process cannot read? CUDA or HIP is asked if
 * the program has loaded it; else every buffer that MPI takes is in this process's own memory.
 * Managed memory can be read. Any thread, inside an MPI call. */
bool is_device_memory(const void *address);

/* What HIP calls the kernel that is launched by this function of the host; NULL = it does not say.
 * Asks HIP's own table of them: it neither waits nor makes a context. */
const char *gpu_name_of_function(const void *function);

/* Which kind of memory it is in. HOST: memory that no driver knows, such as malloc()'s. */
enum mprof_memory_kind gpu_memory_kind(const void *address);

#endif
