/* Small files of the system, lists of CPUs and their heat (system_file.h). */
#define _GNU_SOURCE
#include "base/system_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_work.h"

static bool is_closed; /* read and written atomically */

void system_close(void)
{
    __atomic_store_n(&is_closed, true, __ATOMIC_RELAXED);
}

bool system_is_closed(void)
{
    if (!__atomic_load_n(&is_closed, __ATOMIC_RELAXED))
        return false;
    errno = EPERM;
    return true;
}

size_t system_file_read(const char *path, char *text, size_t capacity)
{
    size_t length = 0;
    ssize_t bytes = 1;
    int file = system_is_closed() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && bytes > 0 && length < capacity - 1) {
        bytes = own_read(file, text + length, capacity - 1 - length);
        length += bytes > 0 ? (size_t)bytes : 0;
    }
    if (file >= 0)
        close(file);
    text[length] = '\0';
    return length;
}

size_t system_line_read(const char *path, char *text, size_t capacity)
{
    system_file_read(path, text, capacity);
    size_t length = strcspn(text, "\n");
    text[length] = '\0';
    return length;
}

uint64_t system_number(const char *text, const char *key)
{
    size_t key_length = strlen(key);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, key, key_length) == 0)
            return strtoull(line + key_length + strspn(line + key_length, ": \t"), NULL, 10);
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return 0;
}

uint64_t system_bytes(const char *text, const char *key)
{
    return system_number(text, key) * 1024;
}

static uint64_t moved_bytes(const char *text, const char *key, uint64_t own)
{
    return strstr(text, key) == NULL ? UINT64_MAX : without_own(system_number(text, key), own);
}

struct system_io system_io(void)
{
    char text[128]; /* the first two lines; this may run on a small stack of a handler */
    const uint64_t own_read = own_read_bytes(); /* this reading is in no text yet */
    const uint64_t own_written = own_written_bytes();
    system_file_read("/proc/self/io", text, sizeof text);
    return (struct system_io){moved_bytes(text, "rchar:", own_read),
                              moved_bytes(text, "wchar:", own_written)};
}

void cpus_parse(const char *list, struct cpu_set *set)
{
    memset(set, 0, sizeof *set);
    while (*list >= '0' && *list <= '9') {
        char *end;
        unsigned long first = strtoul(list, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long cpu = first; cpu <= last && cpu < CPU_LIMIT; cpu++)
            set->words[cpu / 64] |= 1ull << cpu % 64;
        list = *end == ',' ? end + 1 : end;
    }
}

void cpus_format(const struct cpu_set *set, char *list, size_t capacity)
{
    size_t length = 0;
    list[0] = '\0';
    for (uint32_t first = 0; first < CPU_LIMIT; first++) {
        if (!cpu_is_in(set, first))
            continue;
        uint32_t last = first;
        while (cpu_is_in(set, last + 1))
            last++;
        char range[32];
        int bytes = snprintf(range, sizeof range, first == last ? "%s%u" : "%s%u-%u",
                             length > 0 ? "," : "", first, last);
        if (length + (size_t)bytes >= capacity)
            return;
        memcpy(list + length, range, (size_t)bytes + 1);
        length += (size_t)bytes;
        first = last;
    }
}

uint32_t cpus_count(const struct cpu_set *set)
{
    uint32_t count = 0;
    for (size_t i = 0; i < CPU_LIMIT / 64; i++)
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    return count;
}

bool cpus_of_thread(struct cpu_set *set)
{
    memset(set, 0, sizeof *set);
    /* Not by sched_getaffinity(): its mask is an array of long, of which only the size is ours. */
    return syscall(SYS_sched_getaffinity, 0, sizeof *set, set) > 0;
}

void cpu_of_thread(int *cpu, int *numa_node)
{
    unsigned numbers[2];
    bool known = syscall(SYS_getcpu, &numbers[0], &numbers[1], NULL) == 0;
    *cpu = known ? (int)numbers[0] : -1;
    *numa_node = known ? (int)numbers[1] : -1;
}

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
