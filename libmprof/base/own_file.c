/* What libmprof reads of the system, and the files that it makes (own_file.h). */
#define _GNU_SOURCE
#include "base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/random.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/own_work.h"
#include "base/warn.h"

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

static uint64_t program_number(const char *text, const char *key, uint64_t own)
{
    return strstr(text, key) == NULL ? UINT64_MAX : without_own(system_number(text, key), own);
}

struct system_io system_io(void)
{
    char text[128]; /* the first four lines; this may run on a small stack of a handler */
    const struct own_moves own = own_moves(); /* this reading is in no text yet */
    system_file_read("/proc/self/io", text, sizeof text);
    return (struct system_io){program_number(text, "rchar:", own.read_bytes),
                              program_number(text, "wchar:", own.written_bytes),
                              program_number(text, "syscr:", own.read_calls),
                              program_number(text, "syscw:", own.write_calls)};
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

/* ---- files and folders of mprof -------------------------------------------------------------- */

/* Nobody else ever writes into our files. The umask and the folder decide who may read them. */
enum { FILE_MODE = 0644, FOLDER_MODE = 0700 };

/* The system call itself: glibc before 2.25 has no function for it, and libmprof.so shall load on
 * glibc 2.17. A kernel that does not know the call refuses it. */
uint64_t random_number(void)
{
    uint64_t number = 0;
    if (syscall(SYS_getrandom, &number, sizeof number, GRND_NONBLOCK) != sizeof number ||
        number == 0)
        number = clock_monotonic_ns() ^ (uint64_t)getpid() << 40;
    return number != 0 ? number : 1;
}

void own_file_beside(const char *path, char *beside, size_t capacity)
{
    const char *name = base_name(path);
    snprintf(beside, capacity, "%.*s.%s.%016llx", (int)(name - path), path, name,
             (unsigned long long)random_number());
}

static void close_quietly(int file)
{
    int error = errno;
    close(file);
    errno = error;
}

/* Some file systems change owners (an NFS server that does not trust root, one owner for a whole
 * mount). There our folder has the same owner as a new file. */
static bool has_owner_of_new_files(int folder, uid_t owner)
{
    char name[32];
    struct stat facts;
    snprintf(name, sizeof name, ".mprof.%016llx", (unsigned long long)random_number());
    int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR);
    if (file < 0)
        return false;
    bool same = fstat(file, &facts) == 0 && facts.st_uid == owner;
    close(file);
    unlinkat(folder, name, 0);
    return same;
}

/* By which names below it are found; it need not be readable. */
static int open_folder(const char *path)
{
    struct stat facts;
    int folder =
        system_is_closed() ? -1 : open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        /* A link is ELOOP or ENOTDIR. */
        if (errno == ELOOP || errno == ENOTDIR)
            errno = lstat(path, &facts) == 0 ? EEXIST : errno;
        return -1;
    }
    if (fstat(folder, &facts) == 0 &&
        (facts.st_uid == geteuid() || has_owner_of_new_files(folder, facts.st_uid)))
        return folder;
    close(folder);
    errno = EEXIST;
    return -1;
}

/* The folder in which the file is or shall be. */
static int open_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *name = base_name(path);
    size_t length = (size_t)(name - path);
    if (length >= sizeof folder || *name == '\0') {
        errno = *name == '\0' ? EINVAL : ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, path, length);
    /* Without the slash: behind one, a link would be followed. */
    folder[length > 1 ? length - 1 : length] = '\0';
    return open_folder(length > 0 ? folder : ".");
}

bool own_folder_make(const char *path)
{
    if (system_is_closed())
        return false;
    if (mkdir(path, FOLDER_MODE) == 0)
        return true;
    if (errno != EEXIST)
        return false;
    int folder = open_folder(path);
    if (folder >= 0)
        close(folder);
    return folder >= 0;
}

int own_folder_open(const char *path)
{
    int folder = open_folder(path);
    if (folder < 0)
        return -1;
    int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close_quietly(folder);
    return readable;
}

static void mark_file(const struct stat *facts, struct file_mark *mark)
{
    mark->device = facts->st_dev;
    mark->inode = facts->st_ino;
}

static bool is_marked(const struct stat *facts, const struct file_mark *mark)
{
    return S_ISREG(facts->st_mode) && facts->st_dev == mark->device && facts->st_ino == mark->inode;
}

static int make_in(int folder, const char *name, struct file_mark *mark)
{
    struct stat facts;
    int file = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (file < 0)
        return -1;
    if (fstat(file, &facts) == 0) {
        mark_file(&facts, mark);
        return file;
    }
    close_quietly(file);
    return -1;
}

int own_file_make(const char *path, bool replaces, struct file_mark *mark)
{
    char hidden[PATH_MAX];
    const char *name = base_name(path);
    int folder = open_folder_of(path);
    if (folder < 0)
        return -1;
    own_file_beside(name, hidden, sizeof hidden);
    int file = make_in(folder, replaces ? hidden : name, mark);
    if (file >= 0 && replaces && renameat(folder, hidden, folder, name) != 0) {
        close(file);
        unlinkat(folder, hidden, 0);
        /* Where renaming is refused, the name is free for a moment. */
        file = unlinkat(folder, name, 0) == 0 ? make_in(folder, name, mark) : -1;
    }
    close_quietly(folder);
    return file;
}

/* In one request, as many processes come at once. A file that is there must belong to whom the
 * folder belongs, which is this user. */
static int share_in(int folder, const char *name, struct file_mark *mark)
{
    struct stat facts;
    struct stat of_folder;
    int file = openat(folder, name,
                      O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, FILE_MODE);
    if (file < 0)
        return -1;
    if (fstat(file, &facts) == 0 && fstat(folder, &of_folder) == 0 && S_ISREG(facts.st_mode) &&
        facts.st_uid == of_folder.st_uid) {
        mark_file(&facts, mark);
        return file;
    }
    close(file);
    errno = EEXIST;
    return -1;
}

int own_file_share(const char *path, struct file_mark *mark)
{
    int folder = open_folder_of(path);
    if (folder < 0)
        return -1;
    int file = share_in(folder, base_name(path), mark);
    close_quietly(folder);
    return file;
}

int own_file_reopen(const char *path, const struct file_mark *mark)
{
    struct stat facts;
    /* The file may be something else by now: opening it must not block, and it must not become our
     * terminal. */
    if (system_is_closed())
        return -1;
    int file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &facts) == 0 && is_marked(&facts, mark))
        return file;
    close(file);
    errno = ESTALE;
    return -1;
}

bool own_link_make(const char *target, const char *path, bool replaces)
{
    char hidden[PATH_MAX];
    const char *name = base_name(path);
    int folder = open_folder_of(path);
    if (folder < 0)
        return false;
    own_file_beside(name, hidden, sizeof hidden);
    bool made = symlinkat(target, folder, replaces ? hidden : name) == 0;
    if (made && replaces && renameat(folder, hidden, folder, name) != 0) {
        int error = errno;
        unlinkat(folder, hidden, 0);
        errno = error;
        made = false;
    }
    close_quietly(folder);
    return made;
}

void own_link_remove(const char *target, const char *path)
{
    int error = errno;
    char found[PATH_MAX];
    const size_t length = strlen(target);
    int folder = open_folder_of(path);
    if (folder >= 0 &&
        readlinkat(folder, base_name(path), found, sizeof found) == (ssize_t)length &&
        memcmp(found, target, length) == 0)
        unlinkat(folder, base_name(path), 0);
    if (folder >= 0)
        close(folder);
    errno = error;
}

bool own_file_rename(const char *from, const char *to)
{
    int folder = open_folder_of(to);
    if (folder < 0)
        return false;
    bool renamed = renameat(folder, base_name(from), folder, base_name(to)) == 0;
    close_quietly(folder);
    return renamed;
}

void own_file_remove(const char *path, const struct file_mark *mark)
{
    int error = errno;
    struct stat facts;
    int folder = open_folder_of(path);
    if (folder >= 0 && fstatat(folder, base_name(path), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
        is_marked(&facts, mark))
        unlinkat(folder, base_name(path), 0);
    if (folder >= 0)
        close(folder);
    errno = error;
}

bool own_file_is_at(const char *path, const struct file_mark *mark)
{
    struct stat facts;
    return !system_is_closed() && lstat(path, &facts) == 0 && is_marked(&facts, mark);
}
