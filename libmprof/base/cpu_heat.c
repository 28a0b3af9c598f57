/* Heat and clock of a CPU (cpu_heat.h). */
#include "base/cpu_heat.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/system_file.h"

static uint64_t number_of(const char *folder, uint32_t cpu, const char *name, uint64_t unknown)
{
    char path[512];
    char line[64];
    snprintf(path, sizeof path, "%s/cpu%u/%s", folder, cpu, name);
    return system_line_read(path, line, sizeof line) > 0 ? strtoull(line, NULL, 10) : unknown;
}

struct cpu_heat cpu_heat_read(const char *folder, uint32_t cpu)
{
    uint64_t core = number_of(folder, cpu, "thermal_throttle/core_throttle_count", UINT64_MAX);
    uint64_t package =
        number_of(folder, cpu, "thermal_throttle/package_throttle_count", UINT64_MAX);
    struct cpu_heat heat = {UINT64_MAX, number_of(folder, cpu, "cpufreq/scaling_cur_freq", 0),
                            number_of(folder, cpu, "cpufreq/cpuinfo_max_freq", 0)};
    if (core != UINT64_MAX || package != UINT64_MAX)
        heat.throttles = (core != UINT64_MAX ? core : 0) + (package != UINT64_MAX ? package : 0);
    return heat;
}
