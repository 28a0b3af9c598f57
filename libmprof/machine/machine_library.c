/* The library is looked for beside the launcher first, then where the dynamic linker looks. What
 * the launcher put into the environment tells whether it is Open MPI's or one of MPICH's family: a
 * library of the other one would not find its ranks. */
#define _GNU_SOURCE
#include "machine/measure.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/mpi_functions.h"
#include "base/warn.h"

enum maker { ANY_MAKER, OPENMPI, MPICH };

static int number_of(const char *variable)
{
    const char *value = getenv(variable);
    return value == NULL ? -1 : atoi(value);
}

static int first_number(const char *const *variables)
{
    for (; *variables != NULL; variables++)
        if (number_of(*variables) >= 0)
            return number_of(*variables);
    return -1;
}

int ranks_by_launcher(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS",
                                            NULL};
    const int ranks = first_number(variables);
    return ranks < 0 ? 0 : ranks;
}

int rank_by_launcher(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                            "SLURM_PROCID", NULL};
    return first_number(variables);
}

static enum maker maker_of_launcher(void)
{
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        return OPENMPI;
    if (getenv("PMI_RANK") != NULL)
        return MPICH;
    return getenv("PMIX_RANK") != NULL ? OPENMPI : ANY_MAKER;
}

/* Only ABI libraries answer with a version of at least 1. */
static bool speaks_mpi5(void *handle)
{
    int (*get_version)(int *, int *) = NULL;
    *(void **)&get_version = dlsym(handle, mpi_function_name(FN_MPI_Abi_get_version));
    int major = -1;
    int minor = -1;
    return get_version != NULL && get_version(&major, &minor) == 0 && major > 0;
}

static bool is_open_mpi(void *handle)
{
    return dlsym(handle, "ompi_mpi_comm_world") != NULL;
}

static bool try_library(const char *file, enum maker maker, struct machine_library *library)
{
    /* Open MPI 4's own plugins look for its symbols everywhere. */
    void *handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (handle == NULL)
        return false;
    const bool is_mpi = dlsym(handle, mpi_function_name(FN_MPI_Init)) != NULL;
    const bool open_mpi = is_open_mpi(handle);
    if (!is_mpi || (maker == OPENMPI && !open_mpi) || (maker == MPICH && open_mpi)) {
        dlclose(handle);
        return false;
    }
    struct link_map *map = NULL;
    const bool is_known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0;
    snprintf(library->path, sizeof library->path, "%s", is_known ? map->l_name : file);
    library->handle = handle;
    if (speaks_mpi5(handle)) {
        library->abi = "mpi5";
        library->layer = &layer_mpi5;
    } else if (open_mpi) {
        library->abi = "openmpi";
        library->layer = &layer_openmpi;
    } else {
        library->abi = "mpich";
        library->layer = &layer_mpich;
    }
    return true;
}

/* Open MPI; MPICH and Intel MPI; Debian's MPICH; what has another number. */
static const char *const names[] = {"libmpi.so.40",       "libmpi.so.12", "libmpich.so.12",
                                    "libmpi_intel.so.12", "libmpi.so",    "libmpi_abi.so.0"};
static const char *const folders[] = {"/lib/", "/lib64/", "/lib/" MPROF_MULTIARCH "/",
                                      "/lib/release/"};

/* `program`: the path of a launcher, PREFIX/bin/mpirun. */
static bool try_beside(const char *program, enum maker maker, struct machine_library *library)
{
    char prefix[PATH_MAX];
    snprintf(prefix, sizeof prefix, "%s", program);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(prefix, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            char file[PATH_MAX + 64];
            snprintf(file, sizeof file, "%s%s%s", prefix, folders[f], names[n]);
            if (access(file, R_OK) == 0 && try_library(file, maker, library))
                return true;
        }
    return false;
}

bool open_machine_library(const char *named, const char *launcher, struct machine_library *library)
{
    const enum maker maker = maker_of_launcher();
    char real[PATH_MAX];
    bool found = false;
    if (named != NULL) {
        found = try_library(named, ANY_MAKER, library);
        if (!found)
            fprintf(stderr, "mprof machine: %s is not an MPI library that can be loaded: %s\n",
                    named, dlerror());
        return found;
    }
    if (launcher != NULL)
        found = try_beside(launcher, maker, library) ||
                (realpath(launcher, real) != NULL && try_beside(real, maker, library));
    for (size_t n = 0; !found && n < sizeof names / sizeof names[0]; n++)
        found = try_library(names[n], maker, library);
    if (!found)
        fprintf(stderr, "mprof machine: found no MPI library of this launcher: name it with "
                        "--mpi FILE\n");
    return found;
}
