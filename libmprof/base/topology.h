/* The node that this process runs on, and its place there, as texts of the profile (format.md):
 * `cpu`, `cpus_allowed`, `core_cpus`, `cache_cpus`,
 * `socket_cpus`, `numa_cpus`, limits of the control group, and `node.*`.
 *
 * From the kernel's own files, which list what libhwloc would, in half a millisecond and without a
 * library in the application's process. Called once, after MPI_Init, which may have bound us. */
#ifndef MPROF_TOPOLOGY_H
#define MPROF_TOPOLOGY_H

#include <stdint.h>

#include "base/warn.h"

void topology_write_texts(struct text *text);

/* node.cpu_model, as /proc/cpuinfo has it. */
void topology_write_model(struct text *text, const char *info);

/* A number that only processes on the same node have, in the same container: of its boot, its host
 * name, and its namespaces. */
uint64_t topology_node(void);

/* What the limits of the process's control group, or of one around it, have done so far. UINT64_MAX
 * = not known. Any time. */
struct group_limits {
    uint64_t throttled_ns; /* it was held back because it had used up its share of the CPUs
                              (cpu.max, cpu.cfs_quota_us), summed over CPUs */
    uint64_t throttles;    /* in how many periods */
    uint64_t memory_highs; /* it was made to give memory back (memory.high); version 2 alone tells
                            */
    uint64_t oom_kills;    /* processes that were killed for its memory */
};
struct group_limits topology_group_limits(void);

/* The same of the process that a file like /proc/self/cgroup is of, and of groups below a folder
 * like /sys/fs/cgroup. */
struct group_limits topology_group_limits_in(const char *groups_file, const char *root);

#endif
