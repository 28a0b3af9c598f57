/* Looking for definitions in symbol tables (definitions.h). */
#define _GNU_SOURCE
#include "interpose/definitions.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/private_memory.h"
#include "interpose/elf_symbols.h"
#include "interpose/loader.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

enum { MOST_OBJECTS = 512, OTHERS_BYTES = MOST_OBJECTS * sizeof(struct elf_symbols) };

static struct {
    void *handle;
    struct elf_symbols mpi; /* .symbols NULL = not found, or not to be read here */
    uintptr_t mpi_address;
    bool mpi_is_found;
    struct elf_symbols *others; /* all but the MPI library and libmprof.so; NULL = no memory */
    int count;
    bool all_are_known;
} objects;

/* dlsym() has rules of its own for a library with versions, and for a table of the old kind. */
static bool is_simple(const struct elf_symbols *object)
{
    return object->gnu_hash != NULL && !object->has_versions;
}

static int take_object(struct dl_phdr_info *info, size_t size, void *mpi_path)
{
    (void)size;
    struct elf_symbols object;
    const bool is_kernels = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR); /* its vDSO */
    if (is_kernels || elf_contains(info, (const void *)take_object) ||
        !elf_symbols_of(info, &object))
        return 0;
    if (!objects.mpi_is_found && strcmp(info->dlpi_name, mpi_path) == 0) {
        objects.mpi_is_found = true;
        objects.mpi_address = info->dlpi_addr;
        if (is_simple(&object))
            objects.mpi = object;
    } else if (object.gnu_hash == NULL || objects.others == NULL || objects.count == MOST_OBJECTS) {
        objects.all_are_known = false;
    } else {
        objects.others[objects.count++] = object;
    }
    return 0;
}

void definitions_open(const struct mpi_library *library)
{
    objects.handle = library->handle;
    objects.mpi = (struct elf_symbols){.symbols = NULL};
    objects.mpi_is_found = false;
    objects.others = map_private(OTHERS_BYTES);
    objects.count = 0;
    objects.all_are_known = true;
    dl_iterate_phdr(take_object, (void *)(uintptr_t)library->path);
}

void definitions_close(void)
{
    if (objects.others != NULL)
        munmap(objects.others, OTHERS_BYTES);
    objects.others = NULL;
}

/* NULL = the MPI library does not define it. False = only dlsym() can tell. */
static bool find_in_mpi(const char *name, uint32_t hash, void **address)
{
    if (objects.mpi.symbols == NULL)
        return false;
    const ElfW(Sym) *symbol = elf_find_hashed(&objects.mpi, name, hash);
    *address = symbol == NULL ? NULL : (void *)(objects.mpi_address + symbol->st_value);
    return symbol == NULL || ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static bool others_define(const char *name, uint32_t hash)
{
    for (int i = 0; i < objects.count; i++)
        if (elf_may_define(objects.others[i].gnu_hash, hash) &&
            elf_find_hashed(&objects.others[i], name, hash) != NULL)
            return true;
    return !objects.all_are_known;
}

void *definition_in_mpi(const char *name)
{
    const uint32_t hash = elf_hash(name);
    void *address = NULL;
    const bool is_known = find_in_mpi(name, hash, &address);
    /* A library comes first in the scope of its handle. */
    if (is_known && (address != NULL || !others_define(name, hash)))
        return address;
    return real_dlsym(objects.handle, name);
}

void *definition_after_us(const char *name)
{
    const uint32_t hash = elf_hash(name);
    void *address = NULL;
    if (find_in_mpi(name, hash, &address) && !others_define(name, hash))
        return address;
    return real_dlsym(RTLD_NEXT, name);
}
