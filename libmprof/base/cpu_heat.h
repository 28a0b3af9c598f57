/* How often a CPU was slowed down because it was too hot, and at which clock it runs, by the files
 * of the kernel below /sys/devices/system/cpu. Many systems, and virtual machines, have none.
 *
 * Any thread; nothing is kept. */
#ifndef MPROF_CPU_HEAT_H
#define MPROF_CPU_HEAT_H

#include <stdint.h>

#define CPU_HEAT_FOLDER "/sys/devices/system/cpu"

struct cpu_heat {
    uint64_t throttles; /* since the node was booted, of the core and its package; UINT64_MAX = not
                           known */
    uint64_t clock_khz; /* now; 0 = not known */
    uint64_t most_clock_khz;
};

struct cpu_heat cpu_heat_read(const char *folder, uint32_t cpu);

#endif
