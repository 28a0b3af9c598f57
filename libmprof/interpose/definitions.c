/* Looking for definitions in symbol tables (definitions.h). */
#define _GNU_SOURCE
#include "interpose/definitions.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "interpose/elf_symbols.h"
#include "interpose/linker.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

enum kind { OF_MPI, OF_PMPI, KINDS }; /* MPI_X, PMPI_X */

static struct {
    void *handle;
    struct elf_symbols mpi; /* .symbols NULL = not found, or not to be read here */
    bool mpi_is_found;
    bool all_are_known;
    uint32_t hash[KINDS][MPI_FUNCTION_COUNT];
    /* Does any object but the MPI library and libmprof.so define it? */
    bool others_have[KINDS][MPI_FUNCTION_COUNT];
} known;

/* dlsym() has rules of its own for a library with versions, and for a table of the old kind. */
static bool is_simple(const struct elf_symbols *object)
{
    return object->gnu_hash != NULL && !object->has_versions;
}

/* In `text`, which has room for any. */
enum { NAME_BYTES = 96 };
static const char *name_of(enum kind kind, int function, char *text)
{
    text[0] = 'P';
    memccpy(text + 1, mpi_function_name(function), '\0', NAME_BYTES - 2);
    return kind == OF_PMPI ? text : text + 1;
}

static void note_definitions(const struct elf_symbols *object)
{
    char text[NAME_BYTES] = "";
    for (int kind = 0; kind < KINDS; kind++)
        for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
            const uint32_t hash = known.hash[kind][function];
            if (elf_may_define(object->gnu_hash, hash) &&
                elf_find_hashed(object, name_of((enum kind)kind, function, text), hash) != NULL)
                known.others_have[kind][function] = true;
        }
}

/* All that can be unloaded is read here, where the linker waits with that. */
static int take_object(struct dl_phdr_info *info, size_t size, void *mpi_path)
{
    (void)size;
    struct elf_symbols object;
    const bool is_kernels = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR); /* its vDSO */
    if (is_kernels || elf_contains(info, (const void *)take_object) ||
        !elf_symbols_of(info, &object))
        return 0;
    if (!known.mpi_is_found && strcmp(info->dlpi_name, mpi_path) == 0) {
        known.mpi_is_found = true;
        if (is_simple(&object))
            known.mpi = object;
    } else if (object.gnu_hash == NULL) {
        known.all_are_known = false;
    } else {
        note_definitions(&object);
    }
    return 0;
}

void definitions_open(const struct mpi_library *library)
{
    char text[NAME_BYTES] = "";
    for (int kind = 0; kind < KINDS; kind++)
        for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
            known.hash[kind][function] = elf_hash(name_of((enum kind)kind, function, text));
            known.others_have[kind][function] = false;
        }
    known.handle = library->handle;
    known.mpi.symbols = NULL;
    known.mpi_is_found = false;
    known.all_are_known = true;
    dl_iterate_phdr(take_object, (void *)(uintptr_t)library->path);
}

/* NULL = the MPI library does not define it. False = only dlsym() can tell. */
static bool find_in_mpi(const char *name, uint32_t hash, void **address)
{
    if (known.mpi.symbols == NULL)
        return false;
    const ElfW(Sym) *symbol = elf_find_hashed(&known.mpi, name, hash);
    *address = symbol == NULL ? NULL : (void *)(known.mpi.load_address + symbol->st_value);
    return symbol == NULL || ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static bool others_define(enum kind kind, int function)
{
    return known.others_have[kind][function] || !known.all_are_known;
}

static void *find_in_library(enum kind kind, int function)
{
    char text[NAME_BYTES] = "";
    const char *name = name_of(kind, function, text);
    void *address = NULL;
    const bool is_known = find_in_mpi(name, known.hash[kind][function], &address);
    /* A library comes first in the scope of its handle. */
    if (is_known && (address != NULL || !others_define(kind, function)))
        return address;
    return real_dlsym(known.handle, name);
}

void *definition_in_mpi(int function)
{
    void *address = find_in_library(OF_PMPI, function);
    return address != NULL ? address : find_in_library(OF_MPI, function);
}

void *definition_after_us(int function)
{
    const char *name = mpi_function_name(function);
    void *address = NULL;
    if (find_in_mpi(name, known.hash[OF_MPI][function], &address) &&
        !others_define(OF_MPI, function))
        return address;
    return real_dlsym(RTLD_NEXT, name);
}
