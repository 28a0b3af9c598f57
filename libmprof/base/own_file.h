/* Files: the small ones of /proc and /sys, with the kernel's lists of CPUs ("0-3,8") and the heat
 * of a CPU, and those that mprof makes.
 *
 * Of the first, nothing allocates or keeps a descriptor; from any thread. What cannot be read is
 * empty.
 */
#ifndef MPROF_OWN_FILE_H
#define MPROF_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From now on nothing is opened: the program may be ended for it (interpose/loader.c).
 * Code that opens something, or makes a system call that takes a name, asks first. errno is EPERM
 * then. */
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

/* Bytes that calls like read() and write() moved so far, and how many calls that took, but for
 * libmprof's own. UINT64_MAX = the system does not tell. */
struct system_io {
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t read_calls;
    uint64_t write_calls;
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

/* The files and folders that mprof makes.
 *
 * Another user may have put something in the place: a folder where ours is expected, or a link to
 * a file of this user. So a file is always made anew and never through a link. A folder is made
 * for its owner alone. One that is there already is used only if it is no link and belongs to this
 * user. A file that is opened again must be the one that was made, by device and inode. Each file
 * is reached through its folder, opened and looked at in that moment: a folder that was exchanged
 * for a link in the meantime is noticed. No descriptor is kept.
 *
 * All functions may be called from any thread, and set errno when they fail.
 */

/* Which file it is, whatever its name. */
struct file_mark {
    uint64_t device;
    uint64_t inode;
};

/* What own_file_beside() adds to a path. */
enum { OWN_FILE_BESIDE_BYTES = 18 };

/* Makes a folder (mode 0700), or finds one of this user. EEXIST: something else is there. */
bool own_folder_make(const char *path);

/* A descriptor of a folder of this user, or -1. EEXIST: it is another user's, or no folder. */
int own_folder_open(const char *path);

/* A new file, open for reading and writing, or -1. EEXIST: something is there already, of any kind.
 * With `replaces` the new file takes its place, unless it is a folder. */
int own_file_make(const char *path, bool replaces, struct file_mark *mark);

/* A file that several processes of this user have together, which the first one makes. EEXIST:
 * something else is there. */
int own_file_share(const char *path, struct file_mark *mark);

/* Opens what own_file_make() made, or -1. ESTALE: another file is there now. */
int own_file_reopen(const char *path, const struct file_mark *mark);

/* Makes a symbolic link with the rules of own_file_make(). */
bool own_link_make(const char *target, const char *path, bool replaces);

/* Removes the link if it leads there. Keeps errno. */
void own_link_remove(const char *target, const char *path);

/* Both in one folder. What is at `to` is replaced, and never followed. */
bool own_file_rename(const char *from, const char *to);

/* Removes the file if it is the marked one. Keeps errno. */
void own_file_remove(const char *path, const struct file_mark *mark);

/* Is this the name of the marked file? */
bool own_file_is_at(const char *path, const struct file_mark *mark);

/* A hidden, unpredictable name in the same folder. Readers of a profile skip it. */
void own_file_beside(const char *path, char *beside, size_t capacity);

/* A number that nobody can foretell, never 0. */
uint64_t random_number(void);

#endif
