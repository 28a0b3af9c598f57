/* Which MPI is in this process? (mpi_binding.h)
 *
 * The loaded object that itself defines PMPI_Init is the MPI library, whatever its name, also when
 * it was loaded with RTLD_LOCAL or is part of an executable linked with -rdynamic. The objects'
 * symbol tables are read directly: opening each with dlopen() would run the constructors of those
 * that are not initialised yet, and this may well run inside one (a static object of Open MPI's C++
 * library calls MPI).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "interpose/elf_symbols.h"
#include "interpose/loader.h"
#include "interpose/mpi_binding.h"

static int take_mpi(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    struct elf_symbols object;
    if (!elf_symbols_of(info, &object) || elf_find_defined(&object, "PMPI_Init") == NULL)
        return 0;
    snprintf(path, sizeof((struct mpi_library *)0)->path, "%s", info->dlpi_name);
    return 1;
}

/* Only ABI libraries answer with a version of at least 1; older ones lack the function, MPICH's own
 * ABI says -1. */
static bool speaks_mpi5(void *handle)
{
    int (*get_version)(int *, int *) = NULL;
    *(void **)&get_version = real_dlsym(handle, "PMPI_Abi_get_version");
    int major = -1;
    int minor = -1;
    return get_version != NULL && get_version(&major, &minor) == 0 && major > 0;
}

static const struct abi_family *family_of(void *handle)
{
    if (speaks_mpi5(handle))
        return &abi_mpi5;
    return real_dlsym(handle, "ompi_mpi_comm_world") != NULL ? &abi_openmpi : &abi_mpich;
}

bool find_mpi(struct mpi_library *library)
{
    if (dl_iterate_phdr(take_mpi, library->path) == 0)
        return false;
    bool in_program = library->path[0] == '\0'; /* "" is the program itself */
    library->handle = real_dlopen(in_program ? NULL : library->path, RTLD_LAZY | RTLD_NOLOAD);
    if (library->handle == NULL)
        return false;
    library->family = family_of(library->handle);
    return true;
}
