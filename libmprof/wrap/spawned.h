/* Programs that MPI_Comm_spawn starts have the environment of the launcher. If `mprof run` is
 * behind it, mprof is not in there: mpirun -n 1 mprof run ./app. Open MPI has an info "env", lines
 * that the environment of the new processes gets. So they are told what this process was told, and
 * the folder of the profile. Compiled inside wrappers.c.
 *
 * The program's own info stays as it is: a copy of it is passed. The root alone does this, because
 * the others' arguments mean nothing.
 */
#ifndef MPROF_SPAWNED_H
#define MPROF_SPAWNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/life.h"
#include "wrap/wrap.h"

enum { SPAWNED_INFO_BYTES = 256 /* what Open MPI takes */, SPAWNED_COMMANDS = 16 };

struct spawned_info {
    int count; /* of own ones */
    MPI_Info own[SPAWNED_COMMANDS];
};

static bool append_line(char *lines, const char *line)
{
    const size_t length = strlen(lines);
    const size_t more = strlen(line);
    if (length + more + 2 > SPAWNED_INFO_BYTES || strchr(line, '\n') != NULL)
        return false;
    if (length > 0)
        lines[length] = '\n';
    memcpy(lines + length + (length > 0), line, more + 1);
    return true;
}

static bool append_variable(char *lines, const char *name, const char *value)
{
    char line[SPAWNED_INFO_BYTES];
    return value != NULL &&
           (size_t)snprintf(line, sizeof line, "%s=%s", name, value) < sizeof line &&
           append_line(lines, line);
}

/* A path with a space cannot be in LD_PRELOAD. Then the name is there, and the folder is in
 * LD_LIBRARY_PATH. */
static bool append_preload(char *lines)
{
    const char *preload = getenv("LD_PRELOAD");
    if (preload == NULL || strstr(preload, "libmprof") == NULL)
        return false;
    return append_variable(lines, "LD_PRELOAD", preload) &&
           (strstr(preload, "/libmprof") != NULL ||
            append_variable(lines, "LD_LIBRARY_PATH", getenv("LD_LIBRARY_PATH")));
}

/* False: mprof came in another way, which its children may share, or there is no room. */
static bool append_own_environment(char *lines)
{
    const char *folder = life_folder();
    if (folder[0] == '\0' || !append_preload(lines) ||
        !append_variable(lines, "MPROF_OUTPUT", folder))
        return false;
    for (char **entry = environ; *entry != NULL; entry++)
        if (strncmp(*entry, "MPROF_", 6) == 0 && strncmp(*entry, "MPROF_OUTPUT=", 13) != 0 &&
            strncmp(*entry, "MPROF_START_FOLDER=", 19) != 0)
            append_line(lines, *entry); /* as far as there is room */
    return true;
}

/* A copy with these lines, or MPI_INFO_NULL. */
static MPI_Info make_spawned_info(MPI_Info given)
{
    char lines[SPAWNED_INFO_BYTES] = "";
    int has_lines = 0;
    MPI_Info own = MPI_INFO_NULL;
    if (given != MPI_INFO_NULL)
        PMPI(MPI_Info_get)(given, "env", SPAWNED_INFO_BYTES - 1, lines, &has_lines);
    if (!append_own_environment(lines))
        return own;
    if ((given != MPI_INFO_NULL ? PMPI(MPI_Info_dup)(given, &own) : PMPI(MPI_Info_create)(&own)) !=
        0)
        return MPI_INFO_NULL;
    PMPI(MPI_Info_set)(own, "env", lines);
    return own;
}

/* Other MPIs have no such info. */
static bool passes_environment(const struct call *call, int root)
{
    return mpi_services->abi == MPROF_ABI_OPENMPI && call->comm != NULL &&
           root == call->comm->facts.rank && mpi_pmpi[FN_MPI_Info_get] != NULL &&
           mpi_pmpi[FN_MPI_Info_dup] != NULL && mpi_pmpi[FN_MPI_Info_create] != NULL &&
           mpi_pmpi[FN_MPI_Info_set] != NULL && mpi_pmpi[FN_MPI_Info_free] != NULL;
}

/* The infos to pass in place of `given`, `count` of them. */
static const MPI_Info *spawned_infos(struct spawned_info *infos, const struct call *call, int root,
                                     int count, const MPI_Info given[])
{
    infos->count = 0;
    if (!passes_environment(call, root) || count > SPAWNED_COMMANDS || given == NULL)
        return given;
    for (int i = 0; i < count; i++) {
        infos->own[i] = make_spawned_info(given[i]);
        if (infos->own[i] == MPI_INFO_NULL)
            return given;
        infos->count = i + 1;
    }
    return infos->own;
}

static void free_spawned_infos(struct spawned_info *infos)
{
    for (int i = 0; i < infos->count; i++)
        PMPI(MPI_Info_free)(&infos->own[i]);
}

#endif
