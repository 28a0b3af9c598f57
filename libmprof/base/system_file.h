/* The small files of /proc and /sys, the kernel's lists of CPUs: "0-3,8", and the heat of a CPU.
 *
 * Nothing here allocates or keeps a descriptor; from any thread. What cannot be read is empty. */
#ifndef MPROF_SYSTEM_FILE_H
#define MPROF_SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on nothing is opened: the program may be ended for it (interpose/libc_hooks.c).
 * Whoever opens something, or makes a system call that is about a name, asks first. errno is EPERM
 * where that is so. */
void system_close(void);
bool system_is_closed(void);

/* Reads the first bytes of the file and adds a NUL; returns the length. The kernel makes such files
 * while they are read, so a short buffer keeps a long file cheap. */
size_t system_file_read(const char *path, char *text, size_t capacity);

/* One that holds a line: without the line end. */
size_t system_line_read(const char *path, char *text, size_t capacity);

/* The number behind `key` in a text of lines "key   number ...", 0 if it is not there; and in
 * kibibytes, as /proc has it. */
uint64_t system_number(const char *text, const char *key);
uint64_t system_bytes(const char *text, const char *key);

/* Bytes that calls like read() and write() moved so far, but for libmprof's own. UINT64_MAX = the
 * system does not tell. */
struct system_io {
    uint64_t read_bytes;
    uint64_t written_bytes;
};
struct system_io system_io(void);

enum { CPU_LIMIT = 8192 }; /* the most that Linux can be built for */

struct cpu_set {
    uint64_t words[CPU_LIMIT / 64];
};

static inline bool cpu_is_in(const struct cpu_set *set, uint32_t cpu)
{
    return cpu < CPU_LIMIT && (set->words[cpu / 64] >> cpu % 64 & 1) != 0;
}

void cpus_parse(const char *list, struct cpu_set *set);
void cpus_format(const struct cpu_set *set, char *list, size_t capacity);
uint32_t cpus_count(const struct cpu_set *set);

/* The CPUs that the calling thread may run on; false if the system does not tell. */
bool cpus_of_thread(struct cpu_set *set);

/* Where the calling thread runs now; -1 = not known. */
void cpu_of_thread(int *cpu, int *numa_node);

/* How often a CPU was slowed down because it was too hot, and at which clock it runs. Many systems,
 * and virtual machines, do not tell. */
#define CPU_HEAT_FOLDER "/sys/devices/system/cpu"

struct cpu_heat {
    uint64_t throttles; /* since the node was booted, of the core and its package; UINT64_MAX = not
                           known */
    uint64_t clock_khz; /* now; 0 = not known */
    uint64_t most_clock_khz;
};

struct cpu_heat cpu_heat_read(const char *folder, uint32_t cpu);

#endif
