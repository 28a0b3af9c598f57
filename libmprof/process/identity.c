/* Run, rank and folder (identity.h). */
#define _GNU_SOURCE
#include "identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "counters.h"
#include "mpi_services.h"
#include "options.h"
#include "text.h"
#include "topology.h"
#include "warn.h"

/* What rank 0 tells the others. */
struct agreement {
    uint64_t run_id;
    uint32_t world;
    char folder[2048];
};

static const char *job_id(void)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",    "LSB_JOBID",
                                        "FLUX_JOB_ID",  "COBALT_JOBID", "JOB_ID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = secure_getenv(names[i]);
        if (value != NULL && *value != '\0' && strchr(value, '/') == NULL)
            return value;
    }
    return NULL;
}

/* Makes the folder with all above it; existing ones are fine. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int result = mkdir(path, 0777);
        *slash = '/';
        if (result != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool is_rank_file(const char *name)
{
    size_t length = strlen(name);
    bool ours = strncmp(name, "rank-", 5) == 0 || strncmp(name, "world-", 6) == 0;
    return ours && length > 6 && strcmp(name + length - 6, ".mprof") == 0;
}

/* The user named the folder of an earlier run again: its rank files would be mixed with ours. */
static void remove_old_rank_files(const char *folder)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (is_rank_file(entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

/* An absolute path: the program may change its working directory. */
static bool absolute(const char *name, char *path, size_t capacity)
{
    char cwd[2048] = "";
    if (name[0] != '/' && getcwd(cwd, sizeof cwd) == NULL)
        return false;
    return (size_t)snprintf(path, capacity, name[0] == '/' ? "%s%s" : "%s/%s", cwd, name) <
           capacity;
}

/* <program>.<job>.mprof, or with -2, -3 ... when that exists: runs are never mixed. */
static bool make_default_folder(char *folder, size_t capacity)
{
    char host[256] = "localhost";
    char job[320];
    gethostname(host, sizeof host - 1);
    if (job_id() != NULL)
        snprintf(job, sizeof job, "%s", job_id());
    else
        snprintf(job, sizeof job, "%s-%ld", host, (long)getpid());
    for (int attempt = 1; attempt < 1000; attempt++) {
        char name[1024];
        char suffix[16] = "";
        if (attempt > 1)
            snprintf(suffix, sizeof suffix, "-%d", attempt);
        snprintf(name, sizeof name, "%s.%s%s.mprof", program_invocation_short_name, job, suffix);
        if (!absolute(name, folder, capacity))
            return false;
        if (mkdir(folder, 0777) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static bool choose_folder(char *folder, size_t capacity, bool spawned)
{
    if (options.output == NULL)
        return make_default_folder(folder, capacity);
    if (!absolute(options.output, folder, capacity) || !make_folders(folder))
        return false;
    if (!spawned)
        remove_old_rank_files(folder);
    return true;
}

static uint64_t random_id(void)
{
    uint64_t id = 0;
    if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id || id == 0)
        id = clock_monotonic_ns() ^ (uint64_t)getpid() << 40;
    return id;
}

/* A spawned world belongs to the run of its parents, whose files lie in the same folder. */
static uint64_t run_id_of_folder(const char *folder)
{
    struct mprof_file_header header = {.run_id = 0};
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return 0;
    for (const struct dirent *entry; header.run_id == 0 && (entry = readdir(directory)) != NULL;) {
        if (!is_rank_file(entry->d_name))
            continue;
        int file = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file < 0 || read(file, &header, sizeof header) != sizeof header ||
            memcmp(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES) != 0)
            header.run_id = 0;
        if (file >= 0)
            close(file);
    }
    closedir(directory);
    return header.run_id;
}

static void path_of(const char *folder, uint32_t world, int rank, int ranks, char *path,
                    size_t capacity)
{
    int digits = snprintf(NULL, 0, "%d", ranks - 1);
    if (world == 0)
        snprintf(path, capacity, "%s/rank-%0*d.mprof", folder, digits, rank);
    else
        snprintf(path, capacity, "%s/world-%u-rank-%0*d.mprof", folder, world, digits, rank);
}

/* The first number that no other spawned world of this folder has: making rank 0's file decides. */
static uint32_t claim_world(const char *folder, int ranks)
{
    for (uint32_t world = 1; world < 100000; world++) {
        char path[2048 + 64];
        path_of(folder, world, 0, ranks, path, sizeof path);
        int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (file >= 0) {
            close(file);
            return world;
        }
        if (errno != EEXIST)
            break;
    }
    return 1;
}

static void decide(struct agreement *agreement, int ranks)
{
    bool spawned = mpi_services->was_spawned();
    agreement->run_id = random_id();
    agreement->world = 0;
    if (!choose_folder(agreement->folder, sizeof agreement->folder, spawned)) {
        warn("cannot make the profile folder %s: %s; there will be no profile",
             options.output != NULL ? options.output : agreement->folder, strerror(errno));
        agreement->folder[0] = '\0';
    } else if (spawned) {
        uint64_t run_id = run_id_of_folder(agreement->folder);
        agreement->run_id = run_id != 0 ? run_id : agreement->run_id;
        agreement->world = claim_world(agreement->folder, ranks);
    }
}

/* Rank 0 has a file already, since its first session. */
static void tell(struct agreement *agreement, const struct identity *identity)
{
    agreement->run_id = identity->run_id;
    agreement->world = identity->world;
    memcpy(agreement->folder, identity->folder, sizeof agreement->folder);
}

void identity_agree(struct identity *identity)
{
    static struct agreement agreement;
    mpi_services->world(&identity->rank, &identity->ranks);
    if (identity->rank == 0 && identity->folder[0] == '\0')
        decide(&agreement, identity->ranks);
    else if (identity->rank == 0)
        tell(&agreement, identity);
    if (!mpi_services->broadcast_from_0(&agreement, sizeof agreement))
        agreement.folder[0] = '\0';
    identity->run_id = agreement.run_id;
    identity->world = agreement.world;
    memcpy(identity->folder, agreement.folder, sizeof identity->folder);
    if (identity->folder[0] == '\0')
        return;
    make_folders(identity->folder); /* on nodes that do not share rank 0's file system */
    path_of(identity->folder, identity->world, identity->rank, identity->ranks, identity->path,
            sizeof identity->path);
}

/* What the launcher calls this job: the same in all its processes. */
static void read_job_key(char *key, size_t capacity)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID"};
    char host[256] = "localhost";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (secure_getenv(names[i]) != NULL) {
            snprintf(key, capacity, "%s", secure_getenv(names[i]));
            return;
        }
    gethostname(host, sizeof host - 1);
    snprintf(key, capacity, "%s-%ld", host, (long)getppid());
}

void identity_alone(struct identity *identity)
{
    char key[512];
    char name[1024];
    read_job_key(key, sizeof key);
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = key; *c != '\0'; c++)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
    identity->run_id = hash;
    for (char *c = key; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
    snprintf(name, sizeof name, "%s.%s.mprof", program_invocation_short_name,
             job_id() != NULL ? job_id() : key);
    if (!absolute(options.output != NULL ? options.output : name, identity->folder,
                  sizeof identity->folder) ||
        !make_folders(identity->folder)) {
        warn("cannot make the profile folder %s: %s; there will be no profile", identity->folder,
             strerror(errno));
        identity->folder[0] = '\0';
        return;
    }
    path_of(identity->folder, 0, identity->rank, identity->ranks, identity->path,
            sizeof identity->path);
}

/* The command as one could type it. */
static void read_command(struct text *text)
{
    static char arguments[16 * 1024];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : read(file, arguments, sizeof arguments - 1);
    if (file >= 0)
        close(file);
    for (ssize_t at = 0; at < bytes; at += (ssize_t)strlen(arguments + at) + 1) {
        if (at > 0)
            text_append(text, " ");
        text_append_quoted(text, arguments + at);
    }
}

void identity_write_texts(struct identity *identity)
{
    /* An allow-list: the environment as a whole holds tokens and passwords. */
    static const char *const environment[] = {"OMP_NUM_THREADS",     "SLURM_JOB_ID", "SLURM_NTASKS",
                                              "SLURM_JOB_NUM_NODES", "PBS_JOBID",    "LSB_JOBID"};
    static char buffer[24 * 1024];
    static char value[8 * 1024];
    struct text text = {buffer, sizeof buffer - 2, 0};
    text_key(&text, "mprof_version", MPROF_VERSION);
    text_key(&text, "command", "");
    text.length--; /* reopen the value */
    const char *command = buffer + text.length;
    read_command(&text);
    text_end(&text);
    snprintf(identity->command, sizeof identity->command, "%s", command);
    ssize_t length = readlink("/proc/self/exe", value, sizeof value - 1);
    value[length > 0 ? length : 0] = '\0';
    text_key(&text, "executable", value);
    text_key(&text, "program", program_invocation_short_name);
    text_key(&text, "working_directory", getcwd(value, sizeof value) != NULL ? value : "");
    text_key(&text, "host", gethostname(value, 256) == 0 ? value : "");
    text_key(&text, "job", job_id() != NULL ? job_id() : "");
    text_key(&text, "mpi_path", mpi_services->library_path());
    mpi_services->library_version(value, sizeof value);
    value[strcspn(value, "\n")] = '\0'; /* MPICH goes on with how it was configured */
    text_key(&text, "mpi_library", value);
    mpi_services->not_covered(value, sizeof value);
    text_key(&text, "not_covered", value);
    if (counters_refused()[0] != '\0')
        text_key(&text, "counters_refused", counters_refused());
    topology_write_texts(&text);
    for (size_t i = 0; i < sizeof environment / sizeof environment[0]; i++)
        if (secure_getenv(environment[i]) != NULL) {
            snprintf(value, 64, "environment.%s", environment[i]);
            text_key(&text, value, secure_getenv(environment[i]));
        }
    uint32_t index;
    char *section = arena_allocate(MPROF_SECTION_TEXT, 0, text.length + 2, 1, 0, &index);
    if (section != NULL)
        memcpy(section, buffer, text.length);
}
