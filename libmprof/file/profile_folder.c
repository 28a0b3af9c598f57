/* The profile folder (profile_folder.h).
 *
 * Two jobs that start at once with one MPROF_OUTPUT see the same free folder. Rank 0's file is
 * called rank-0.mprof in every run, however many ranks it has, so only one of them can make it.
 * Where the first rank of a job is another one, because rank 0 is not profiled, both may see the
 * other's file: then both take another name. */
#define _GNU_SOURCE
#include "file/profile_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "base/own_file.h"
#include "base/own_work.h"
#include "base/warn.h"
#include "file/identity.h"
#include "mprof/format/format.h"

/* ---- is this a program of another run? ------------------------------------------------------- */

/* A rank has its live record mapped, so it shows among the mappings of the processes above this
 * one: the launcher of this program, a shell, the rank that started them. A rank of another node is
 * not found. */

enum { MOST_ABOVE = 32 };

/* "7fd6...-7fd7... rw-s 00000000 fe:00 1234   /home/ann/app.mprof/rank-0.mprof" */
static bool is_record(const char *line)
{
    static const char ending[] = ".mprof";
    const size_t length = strlen(line);
    return length > sizeof ending && strstr(line, " rw-s ") != NULL &&
           strcmp(line + length - (sizeof ending - 1), ending) == 0;
}

/* A line that is longer than the buffer is cut, and is no record. */
static bool has_record(int file)
{
    char text[8192];
    size_t used = 0;
    for (;;) {
        const ssize_t bytes = own_read(file, text + used, sizeof text - 1 - used);
        if (bytes <= 0)
            return false;
        used += (size_t)bytes;
        text[used] = '\0';
        char *line = text;
        for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            if (is_record(line))
                return true;
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
        if (used == sizeof text - 1)
            used = 0;
    }
}

static bool is_recorded(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool found = has_record(file);
    close(file);
    return found;
}

static pid_t parent_of(pid_t process)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    system_file_read(path, text, sizeof text);
    const char *line = strstr(text, "\nPPid:");
    return line != NULL ? (pid_t)strtol(line + sizeof "\nPPid:" - 1, NULL, 10) : 0;
}

static bool is_inside_outer_run(void)
{
    const int program_errno = errno;
    bool found = false;
    pid_t process = getppid();
    for (int i = 0; !found && process > 1 && i < MOST_ABOVE; i++) {
        found = is_recorded(process);
        process = parent_of(process);
    }
    errno = program_errno;
    return found;
}

enum { MOST_NAMES = 1000, MOST_WORLDS = 100000, MOST_GAPS = 16 };

/* Makes the folders above as mkdir -p does, but never writable for others. */
static void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0755); /* making the folder itself reports the error */
        *slash = '/';
    }
}

/* Replaces a path by its target. */
static void resolve_links(char *path, size_t capacity)
{
    char target[PATH_MAX];
    if (realpath(path, target) != NULL && strlen(target) < capacity)
        memcpy(path, target, strlen(target) + 1);
}

/* A link that the user made, or root, may lead to the folder. One of somebody else's may not. */
static void follow_own_link(char *path, size_t capacity)
{
    struct stat facts;
    if (lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) &&
        (facts.st_uid == geteuid() || facts.st_uid == 0))
        resolve_links(path, capacity);
}

/* Makes a name to which -2 can be added: no slashes at the end, . and .. resolved. */
static void normalise_path(char *path, size_t capacity)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    const char *name = strrchr(path, '/') + 1;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        resolve_links(path, capacity);
}

/* As MPROF_OUTPUT=/dev/null. A file only has the name that the folder could have had. */
static bool is_device(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode);
}

/* False if MPROF_OUTPUT is not set, or can never be a folder. */
static bool named_folder(char *base, size_t capacity)
{
    if (options.output == NULL || !options_path(options.output, base, capacity))
        return false;
    normalise_path(base, capacity);
    if (!is_device(base))
        return true;
    warn("MPROF_OUTPUT=%s is not a folder; the default is used", options.output);
    options.output = NULL;
    return false;
}

/* <program>.<key>.mprof */
static void own_name(const char *key, char *name, size_t capacity)
{
    char program[512];
    run_name(program, sizeof program);
    snprintf(name, capacity, "%s.%s.mprof", program, key);
}

/* The folder's first name: MPROF_OUTPUT, else its own. */
static bool first_name(const char *key, char *base, size_t capacity)
{
    char name[1024];
    if (named_folder(base, capacity))
        return true;
    if (options.output != NULL)
        return false;
    own_name(key, name, sizeof name);
    return options_path(name, base, capacity);
}

/* A program that a rank of another run has started inherits MPROF_OUTPUT. That is the other run's
 * folder, so it gets one of its own name beside it. True if it is such a program. */
static bool step_beside(const char *key, char *base, size_t capacity)
{
    char name[1024];
    if (options.output == NULL || !is_inside_outer_run())
        return false;
    own_name(key, name, sizeof name);
    const size_t folder = (size_t)(strrchr(base, '/') + 1 - base);
    if (folder + strlen(name) >= capacity)
        return false;
    memcpy(base + folder, name, strlen(name) + 1);
    return true;
}

/* The first name, then with -2, -3 ... before the ending .mprof or at the end. */
static bool next_name(const char *base, int attempt, struct identity *identity)
{
    static const char ending[] = ".mprof";
    const size_t length = strlen(base);
    const size_t ending_bytes = sizeof ending - 1;
    const bool ends_so = length > ending_bytes && base[length - ending_bytes - 1] != '/' &&
                         strcmp(base + length - ending_bytes, ending) == 0;
    char number[16] = "";
    if (attempt > 1)
        snprintf(number, sizeof number, "-%d", attempt);
    const size_t capacity = sizeof identity->folder;
    const int stem = (int)(ends_so ? length - ending_bytes : length);
    if ((size_t)snprintf(identity->folder, capacity, "%.*s%s%s", stem, base, number,
                         ends_so ? ending : "") >= capacity) {
        errno = ENAMETOOLONG;
        return false;
    }
    follow_own_link(identity->folder, capacity);
    return true;
}

static void set_path(struct identity *identity)
{
    /* Rank 0's name is the same for every number of ranks: making it claims the folder. */
    int digits = identity->rank == 0 ? 1 : snprintf(NULL, 0, "%d", identity->ranks - 1);
    if (identity->world == 0)
        snprintf(identity->path, sizeof identity->path, "%s/rank-%0*d.mprof", identity->folder,
                 digits, identity->rank);
    else
        snprintf(identity->path, sizeof identity->path, "%s/world-%u-rank-%0*d.mprof",
                 identity->folder, identity->world, digits, identity->rank);
}

void profile_folder_rename(struct identity *identity)
{
    static const char ending[] = ".mprof";
    const size_t stem = strlen(identity->path) - (sizeof ending - 1);
    snprintf(identity->path + stem, sizeof identity->path - stem, ".%016llx%s",
             (unsigned long long)identity->run_id, ending);
}

/* Any file of a profile, rank files and merged ones, live or finished. */
static bool is_profile_file(int folder, const char *name)
{
    struct stat facts;
    size_t length = strlen(name);
    return name[0] != '.' && length > 6 && strcmp(name + length - 6, ".mprof") == 0 &&
           fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(facts.st_mode);
}

/* With MPROF_LIVE the file is a link to .../mprof-<run id>/..., perhaps on another node. */
static bool header_of_link(int folder, const char *name, struct mprof_file_header *header)
{
    static const char prefix[] = "/mprof-";
    char target[PATH_MAX];
    ssize_t length = readlinkat(folder, name, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    char *end = strrchr(target, '/');
    if (end == NULL)
        return false;
    *end = '\0';
    const char *run = strrchr(target, '/');
    if (run == NULL || strncmp(run, prefix, sizeof prefix - 1) != 0)
        return false;
    header->run_id = strtoull(run + sizeof prefix - 1, NULL, 16);
    header->state = MPROF_FILE_LIVE;
    return true;
}

/* Both have 64 bytes and begin with the magic. */
union any_header {
    struct mprof_file_header rank;
    struct mprof_node_header node;
};

enum header_state {
    HEADER_KNOWN,
    HEADER_TO_COME, /* the file was made just now: it is empty, or has its size only (arena.c) */
    HEADER_UNKNOWN
};

/* Of a file of a node, what it has in common with a rank file. */
static bool understand_header(const union any_header *any, struct mprof_file_header *header)
{
    if (memcmp(any->rank.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) == 0) {
        *header = any->rank;
        return true;
    }
    header->state = any->node.state;
    header->run_id = any->node.run_id;
    header->world = any->node.world;
    header->ranks = any->node.ranks;
    return memcmp(any->node.magic, MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES) == 0;
}

static enum header_state read_header(int folder, const char *name, struct mprof_file_header *header)
{
    static const uint8_t nothing[MPROF_MAGIC_BYTES];
    union any_header any;
    memset(&any, 0, sizeof any);
    memset(header, 0, sizeof *header);
    int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return header_of_link(folder, name, header) ? HEADER_KNOWN : HEADER_UNKNOWN;
    ssize_t bytes = own_read(file, &any, sizeof any);
    close(file);
    if (bytes == sizeof any && understand_header(&any, header))
        return HEADER_KNOWN;
    bool blank = bytes >= 0 && memcmp(any.rank.magic, nothing, MPROF_MAGIC_BYTES) == 0;
    return blank ? HEADER_TO_COME : HEADER_UNKNOWN;
}

/* Looks at each file of a profile in the folder until `visit` says true; false if it never does.
 * A folder that cannot be used: false with errno, else errno is 0. */
static bool find_file(const char *path, struct identity *identity,
                      bool (*visit)(int folder, const char *name, struct identity *identity))
{
    int folder = own_folder_open(path);
    DIR *directory = folder < 0 ? NULL : fdopendir(folder);
    if (directory == NULL) {
        int error = errno;
        if (folder >= 0)
            close(folder);
        errno = error;
        return false;
    }
    bool found = false;
    for (const struct dirent *entry; !found && (entry = readdir(directory)) != NULL;)
        found = is_profile_file(folder, entry->d_name) && visit(folder, entry->d_name, identity);
    closedir(directory);
    errno = 0;
    return found;
}

/* A session of another rank may have begun a file of this job already. */
static bool is_of_another_run(int folder, const char *name, struct identity *identity)
{
    struct mprof_file_header header;
    return read_header(folder, name, &header) != HEADER_KNOWN || header.state != MPROF_FILE_LIVE ||
           header.run_id != identity->session_run_id;
}

static bool make_file(struct identity *identity)
{
    set_path(identity);
    int file = own_file_make(identity->path, false, &identity->mark);
    if (file >= 0)
        close(file);
    identity->claimed = file >= 0;
    return file >= 0;
}

static bool is_not_ours(int folder, const char *name, struct identity *identity)
{
    return strcmp(name, strrchr(identity->path, '/') + 1) != 0 &&
           is_of_another_run(folder, name, identity);
}

/* A run whose ranks share files removes the file by which it claimed the folder, so the name may be
 * free again: such a run has made other files before. EEXIST: there are some. */
static bool claim_folder(struct identity *identity)
{
    if (!make_file(identity))
        return false;
    const bool has_files = find_file(identity->folder, identity, is_not_ours);
    if (!has_files && errno == 0)
        return true;
    const int error = has_files ? EEXIST : errno;
    own_file_remove(identity->path, &identity->mark);
    identity->claimed = false;
    errno = error;
    return false;
}

/* EEXIST: it is another run's, or another user's. */
static bool take_folder(struct identity *identity)
{
    if (mkdir(identity->folder, 0700) != 0) {
        /* Without MPROF_OUTPUT nobody has made a folder for us. */
        if (errno != EEXIST || options.output == NULL)
            return false;
        bool has_files = find_file(identity->folder, identity, is_of_another_run);
        if (has_files)
            errno = EEXIST;
        if (errno != 0)
            return false;
    }
    return claim_folder(identity);
}

/* Nobody means the root of the file system: "$SCRATCH/app.mprof" without a SCRATCH leads there, and
 * so does a batch system that begins jobs in it. Whether a folder there would be made anew. */
static bool is_new_in_root(char *base)
{
    struct stat facts;
    char *slash = strchr(base + 1, '/');
    if (slash != NULL)
        *slash = '\0';
    const bool is_new = lstat(base, &facts) != 0 && errno == ENOENT;
    if (slash != NULL)
        *slash = '/';
    return is_new;
}

static void say_other_folder(const char *base, const struct identity *identity)
{
    if (options.output != NULL)
        warn("%s holds another run's files or belongs to another user; the profile goes to %s",
             base, identity->folder);
}

bool profile_folder_take(struct identity *identity)
{
    char base[sizeof identity->folder];
    char key[320];
    char host[256] = "localhost";
    gethostname(host, sizeof host - 1);
    snprintf(key, sizeof key, "%s-%ld", host, (long)getpid());
    (void)job_step_name(identity->ranks, key, sizeof key);
    if (!first_name(key, base, sizeof base))
        return false;
    const bool is_beside = step_beside(key, base, sizeof base);
    const bool is_in_root = is_new_in_root(base);
    make_parents(base);
    for (int attempt = 1; attempt < MOST_NAMES; attempt++) {
        if (!next_name(base, attempt, identity))
            return false;
        if (take_folder(identity)) {
            if (attempt > 1 && !is_beside)
                say_other_folder(base, identity);
            if (is_in_root)
                warn("the profile is %s, in a new folder below /; choose another place with "
                     "MPROF_OUTPUT or mprof run --output",
                     identity->folder);
            return true;
        }
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* The parents of a spawned world wait in MPI_Comm_spawn: their files are live. */
static bool is_live(int folder, const char *name, struct identity *identity)
{
    (void)identity;
    struct mprof_file_header header;
    return read_header(folder, name, &header) == HEADER_KNOWN && header.state == MPROF_FILE_LIVE &&
           header.world == 0;
}

static uint64_t changed_ns(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return 0;
    return (uint64_t)facts.st_mtim.tv_sec * 1000000000u + (uint64_t)facts.st_mtim.tv_nsec;
}

/* Finds, among the folders that MPROF_OUTPUT may stand for, the one with the newest file. */
static bool find_parents(struct identity *identity)
{
    char base[sizeof identity->folder];
    int latest = 0;
    uint64_t latest_ns = 0;
    if (!named_folder(base, sizeof base))
        return false;
    for (int attempt = 1, gaps = 0; attempt < MOST_NAMES && gaps < MOST_GAPS; attempt++) {
        if (!next_name(base, attempt, identity))
            return false;
        uint64_t changed = changed_ns(identity->folder);
        gaps = changed == 0 ? gaps + 1 : 0;
        if (changed > latest_ns && find_file(identity->folder, identity, is_live)) {
            latest = attempt;
            latest_ns = changed;
        }
    }
    return latest != 0 && next_name(base, latest, identity);
}

static bool take_run_id(int folder, const char *name, struct identity *identity)
{
    struct mprof_file_header header;
    if (!is_live(folder, name, identity) || read_header(folder, name, &header) != HEADER_KNOWN)
        return false;
    identity->run_id = header.run_id;
    return true;
}

bool profile_folder_join_parents(struct identity *identity)
{
    if (!find_parents(identity) || !find_file(identity->folder, identity, take_run_id))
        return false;
    /* The first number that no other spawned world of this folder has. */
    for (identity->world = 1; identity->world < MOST_WORLDS; identity->world++) {
        if (make_file(identity))
            return true;
        if (errno != EEXIST)
            break;
    }
    return false;
}

/* True for a file of another run, and for one with our own file's name, which an earlier run of the
 * same key made. A file without a header may be one that a rank of this run is making. */
static bool is_foreign(int folder, const char *name, struct identity *identity)
{
    struct mprof_file_header header;
    enum header_state state = read_header(folder, name, &header);
    if (state != HEADER_KNOWN)
        return state == HEADER_UNKNOWN;
    return strcmp(name, strrchr(identity->path, '/') + 1) == 0 ||
           header.run_id != identity->run_id ||
           (header.ranks != 0 && header.ranks != (uint32_t)identity->ranks);
}

bool profile_folder_share(struct identity *identity, const char *key)
{
    char base[sizeof identity->folder];
    char job[320];
    if (!first_name(job_step_name(identity->ranks, job, sizeof job) ? job : key, base, sizeof base))
        return false;
    make_parents(base);
    for (int attempt = 1; attempt < MOST_NAMES; attempt++) {
        if (!next_name(base, attempt, identity))
            return false;
        set_path(identity);
        bool usable = own_folder_make(identity->folder);
        if (!usable && errno != EEXIST)
            return false;
        if (!usable || find_file(identity->folder, identity, is_foreign))
            continue;
        if (attempt > 1)
            say_other_folder(base, identity);
        return true;
    }
    return false;
}

void profile_folder_reach(struct identity *identity)
{
    make_parents(identity->folder);
    (void)own_folder_make(identity->folder); /* making the file reports the error */
    set_path(identity);
}
