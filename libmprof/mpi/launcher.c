/* What the environment says of the job, and notices that Hydra keeps (roster.h); those that PMIx
 * keeps are in interpose/pmix.c. */
#define _GNU_SOURCE
#include "mpi/roster.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own_file.h"

/* ---- notices that Hydra keeps ---------------------------------------------------------------- */

/* The MPI talks to Hydra's process on this node over a socket that was there at the start, in
 * lines of words: PMI-1 (MPICH's documentation calls it the wire protocol). Each line has one
 * answer. The MPI says nothing at these moments, as it is this thread that has called MPI_Init and
 * MPI_Finalize; it begins with "init" as if nobody had been there. Hydra must have seen an "init"
 * before it keeps anything. Its processes exchange what they keep when all ranks are in MPI_Init.
 */

enum { LINE_BYTES = 2048 };

static int socket_to_hydra = -1;
static char space[256]; /* the name of what this job's ranks leave */

static bool send_line(const char *line)
{
    for (size_t left = strlen(line); left > 0;) {
        const ssize_t sent = write(socket_to_hydra, line, left);
        if (sent <= 0 && errno != EINTR)
            return false;
        line += sent > 0 ? sent : 0;
        left -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* Byte by byte: what follows the line is for the MPI. */
static bool receive_line(char *line)
{
    for (size_t length = 0; length < LINE_BYTES - 1;) {
        const ssize_t bytes = read(socket_to_hydra, line + length, 1);
        if (bytes <= 0 && errno != EINTR)
            return false;
        if (bytes == 1 && line[length] == '\n') {
            line[length] = '\0';
            return true;
        }
        length += bytes == 1;
    }
    return false;
}

/* False = it answers something else than `expected`, or not at all. */
static bool pmi_request(const char *question, const char *expected, char *answer)
{
    return send_line(question) && receive_line(answer) &&
           strncmp(answer, expected, strlen(expected)) == 0;
}

/* The word behind "key=". */
static bool read_word(const char *line, const char *key, char *word, size_t capacity)
{
    const char *found = strstr(line, key);
    if (found == NULL)
        return false;
    found += strlen(key);
    const size_t length = strcspn(found, " ");
    if (length >= capacity)
        return false;
    memcpy(word, found, length);
    word[length] = '\0';
    return true;
}

static bool leave(int own_rank, const char *notice)
{
    char line[LINE_BYTES];
    if (!read_number("PMI_FD", &socket_to_hydra) ||
        !pmi_request("cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init", line) ||
        !pmi_request("cmd=get_my_kvsname\n", "cmd=my_kvsname", line) ||
        !read_word(line, "kvsname=", space, sizeof space))
        return false;
    char put[LINE_BYTES];
    snprintf(put, sizeof put, "cmd=put kvsname=%s key=mprof-%d value=%s\n", space, own_rank,
             notice);
    return pmi_request(put, "cmd=put_result rc=0", line);
}

static void read_notice(int rank, char *notice, size_t capacity)
{
    char line[LINE_BYTES];
    char get[LINE_BYTES];
    snprintf(get, sizeof get, "cmd=get kvsname=%s key=mprof-%d\n", space, rank);
    if (!pmi_request(get, "cmd=get_result rc=0", line) ||
        !read_word(line, "value=", notice, capacity))
        notice[0] = '\0';
}

static const struct notices hydra_notices = {leave, read_notice};

/* ---- the environment ------------------------------------------------------------------------- */

static uint64_t mix_number(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = mix_number(hash, (uint8_t)*text);
    return hash;
}

bool read_number(const char *variable, int *number)
{
    const char *value = secure_getenv(variable);
    char *end = NULL;
    if (value == NULL || *value < '0' || *value > '9')
        return false;
    const long found = strtol(value, &end, 10);
    *number = (int)found;
    return *end == '\0' && found == *number;
}

/* Of its first thread, which is the process's own: an emulator (qemu-user) makes up the content of
 * /proc/PID/stat of a process that it runs, for that process alone. It then began at another time
 * than others saw, was taken for dead, and MPI_Finalize waited for it until patience ended. */
bool read_process(uint32_t process, char *state, uint64_t *start)
{
    enum { FIELDS_TO_START = 20 }; /* behind the name, which may hold anything */
    char path[48];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%u/task/%u/stat", process, process);
    if (system_line_read(path, text, sizeof text) == 0)
        return false;
    const char *field = strrchr(text, ')');
    if (field == NULL || field[1] != ' ')
        return false;
    *state = field[2];
    for (int i = 0; field != NULL && i < FIELDS_TO_START; i++)
        field = strchr(field + 1, ' ');
    *start = field != NULL ? strtoull(field + 1, NULL, 10) : 0;
    return true;
}

const struct notices *pmix_notices;

/* Open MPI from version 3 on. Only its own mpirun says in the environment how many ranks there are;
 * srun does not. */
static bool ask_pmix(struct launcher *launcher)
{
    static const char *const names[] = {"PMIX_NAMESPACE",    "PMIX_SERVER_URI2",
                                        "PMIX_SERVER_URI21", "PMIX_SERVER_URI3",
                                        "PMIX_SERVER_URI4",  "PMIX_SERVER_URI41"};
    if (secure_getenv(names[0]) == NULL || !read_number("PMIX_RANK", &launcher->rank))
        return false;
    launcher->notices = pmix_notices;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (secure_getenv(names[i]) != NULL)
            launcher->job = mix_text(launcher->job, secure_getenv(names[i]));
    int rank;
    if (!read_number("OMPI_COMM_WORLD_RANK", &rank) || rank != launcher->rank ||
        !read_number("OMPI_COMM_WORLD_SIZE", &launcher->ranks) ||
        !read_number("OMPI_COMM_WORLD_LOCAL_SIZE", &launcher->local_ranks))
        launcher->ranks = launcher->local_ranks = 0;
    return true;
}

uint64_t process_start(uint32_t process)
{
    char state;
    uint64_t start;
    return read_process(process, &state, &start) ? start : 0;
}

/* Hydra: that of MPICH, and those derived from it. All ranks of a node have one parent there, which
 * made the socket, whatever other programs are between. */
static bool ask_hydra(struct launcher *launcher)
{
    struct ucred made_by = {.pid = 0};
    socklen_t bytes = sizeof made_by;
    int file;
    if (!read_number("PMI_RANK", &launcher->rank) || !read_number("PMI_SIZE", &launcher->ranks) ||
        !read_number("MPI_LOCALNRANKS", &launcher->local_ranks) || !read_number("PMI_FD", &file) ||
        (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &made_by, &bytes) != 0 && errno == ENOTSOCK))
        return false; /* after another error this rank has a job number of its own */
    launcher->job = mix_number(launcher->job, (uint64_t)made_by.pid);
    launcher->job = mix_number(launcher->job, process_start((uint32_t)made_by.pid));
    launcher->notices = &hydra_notices;
    return true;
}

/* Slurm's srun with another exchange than PMIx, which takes no notices. Where the step has one
 * node, the rows of this node tell everything. */
static bool ask_slurm(struct launcher *launcher)
{
    int job_number;
    int step;
    int nodes;
    if (!read_number("SLURM_JOB_ID", &job_number) || !read_number("SLURM_STEP_ID", &step) ||
        !read_number("SLURM_STEP_NUM_NODES", &nodes) || nodes != 1 ||
        !read_number("SLURM_PROCID", &launcher->rank) ||
        !read_number("SLURM_STEP_NUM_TASKS", &launcher->ranks))
        return false;
    launcher->local_ranks = launcher->ranks;
    launcher->job = mix_number(launcher->job, (uint64_t)job_number);
    launcher->job = mix_number(launcher->job, (uint64_t)step);
    return true;
}

static bool is_sane(const struct launcher *launcher)
{
    if (launcher->ranks == 0)
        return launcher->rank >= 0;
    return launcher->rank >= 0 && launcher->rank < launcher->ranks && launcher->local_ranks > 0 &&
           launcher->local_ranks <= launcher->ranks;
}

bool launcher_ask(struct launcher *launcher)
{
    *launcher = (struct launcher){.job = mix_number(1, geteuid())};
    return (ask_pmix(launcher) || ask_hydra(launcher) || ask_slurm(launcher)) && is_sane(launcher);
}
