/* What the environment says of the job (launcher.h). */
#define _GNU_SOURCE
#include "mpi/launcher/launcher.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system_file.h"

uint64_t mix_number(uint64_t hash, uint64_t value)
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

bool read_process(uint32_t process, char *state, uint64_t *start)
{
    enum { FIELDS_TO_START = 20 }; /* behind the name, which may hold anything */
    char path[48];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%u/stat", process);
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

/* Hydra: of MPICH, and what others made of it. All ranks of a node have one parent there, which
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
    return (ask_pmix(launcher) || ask_hydra(launcher)) && is_sane(launcher);
}
