/* Which MPI is in this process, and what is known about it (mpi_binding.h).
 *
 * The loaded object that itself defines PMPI_Init is the MPI library, whatever its name, also when
 * it was loaded with RTLD_LOCAL or is part of an executable linked with -rdynamic. The objects'
 * symbol tables are read directly: opening each with dlopen() would run the constructors of those
 * that are not initialised yet, and this may well run inside one (a static object of Open MPI's C++
 * library calls MPI).
 */
#define _GNU_SOURCE
#include "interpose/mpi_binding.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/warn.h"
#include "interpose/elf_symbols.h"
#include "interpose/linker.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

void *mpi_pmpi[MPI_FUNCTION_COUNT];
void *mpi_next[MPI_FUNCTION_COUNT];

static struct mpi_library library;
static int take_mpi(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    struct elf_symbols object;
    if (!elf_symbols_of(info, &object) || elf_find_defined(&object, "PMPI_Init") == NULL)
        return 0;
    snprintf(path, sizeof library.path, "%s", info->dlpi_name);
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

bool find_mpi(void)
{
    if (dl_iterate_phdr(take_mpi, library.path) == 0)
        return false;
    bool in_program = library.path[0] == '\0'; /* "" is the program itself */
    library.handle = real_dlopen(in_program ? NULL : library.path, RTLD_LAZY | RTLD_NOLOAD);
    if (library.handle == NULL)
        return false;
    library.family = family_of(library.handle);
    return true;
}

const struct mpi_library *bound_mpi(void)
{
    return &library;
}

int mpi_function_named(const char *name)
{
    uint32_t place = elf_hash(name) % MPI_NAME_PLACES;
    for (int function; (function = mpi_name_places[place] - 1) >= 0;
         place = (place + 1) % MPI_NAME_PLACES)
        if (strcmp(mpi_function_name(function), name) == 0)
            return function;
    return -1;
}

bool needs_mpi(const struct elf_symbols *object, const char *path)
{
    const char *mpi = base_name(library.path);
    if (*path == '\0')
        return true; /* the program, which may be linked with it through others */
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED &&
            strncmp(object->names + entry->d_un.d_val, mpi, strcspn(mpi, ".")) == 0)
            return true;
    return false;
}

/* Of trampolines_*.S: one for each function. */
extern const char mprof_trampolines[] HIDDEN;
enum { TRAMPOLINE_BYTES = 32 };

void *mpi_trampoline(int function)
{
    return (void *)(uintptr_t)(mprof_trampolines + (ptrdiff_t)function * TRAMPOLINE_BYTES);
}

int mpi_trampoline_at(const void *address)
{
    const uintptr_t offset = (uintptr_t)address - (uintptr_t)mprof_trampolines;
    return offset < (uintptr_t)MPI_FUNCTION_COUNT * TRAMPOLINE_BYTES
               ? (int)(offset / TRAMPOLINE_BYTES)
               : -1;
}
