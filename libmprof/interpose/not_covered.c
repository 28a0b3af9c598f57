/* What the program could call of MPI that libmprof would not see (not_covered.h). The report says
 * so, rather than be silently wrong.
 *
 * Looks at the program and at each library that is linked with the MPI (not at the MPI itself):
 * functions of the MPI's own extensions (MPIX_), functions that are not in our table, and PMPI_
 * functions, which a tool calls to avoid tools; but for the MPI's Fortran libraries, whose PMPI
 * calls are patched (fortran_got.c), and for other tools, whose calls are not the program's.
 */
#define _GNU_SOURCE
#include "interpose/not_covered.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/warn.h"
#include "interpose/bind_mpi.h"
#include "interpose/elf_symbols.h"
#include "interpose/fortran_got.h"
#include "interpose/mpi_binding.h"

struct listing {
    char *text;
    size_t capacity;
    size_t length;
};

static void add_name(struct listing *listing, const char *name, const char *path)
{
    size_t room = listing->capacity - listing->length;
    int length = snprintf(listing->text + listing->length, room, "%s%s (%s)",
                          listing->length > 0 ? ", " : "", name,
                          *path == '\0' ? "the program" : base_name(path));
    if (length > 0 && (size_t)length < room)
        listing->length += (size_t)length;
    else
        listing->text[listing->length] = '\0'; /* what does not fit is left out whole */
}

/* The MPI's own C++ bindings. Their few PMPI calls are not calls of the program. */
static bool is_cxx_library(const char *path)
{
    static const char *const names[] = {"libmpi_cxx", "libmpichcxx", "libmpicxx", NULL};
    return base_name_begins(path, names);
}

static bool is_seen(const char *name)
{
    if (strncmp(name, "MPI_", 4) == 0)
        return mpi_function_named(name) >= 0;
    return strncmp(name, "MPIX_", 5) != 0 && strncmp(name, "PMPI_", 5) != 0;
}

/* A tool that is part of the program calls PMPI_X where the program called MPI_X. */
static bool is_tool_call(const char *name)
{
    int function = strncmp(name, "PMPI_", 5) == 0 ? mpi_function_named(name + 1) : -1;
    return function >= 0 && program_has_own(function);
}

static int list_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct elf_symbols object;
    if (strcmp(info->dlpi_name, bound_mpi()->path) == 0 || is_fortran_library(info->dlpi_name) ||
        is_cxx_library(info->dlpi_name) || is_tool_at(info->dlpi_addr) ||
        !elf_symbols_of(info, &object) || !needs_mpi(&object, info->dlpi_name))
        return 0;
    const uint32_t count = elf_count_symbols(&object);
    for (uint32_t i = 0; i < count; i++) {
        const ElfW(Sym) *symbol = &object.symbols[i];
        const char *name = object.names + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT &&
            !is_seen(name) && !(*info->dlpi_name == '\0' && is_tool_call(name)))
            add_name(context, name, info->dlpi_name);
    }
    return 0;
}

void list_not_covered(char *text, size_t capacity)
{
    struct listing listing = {text, capacity, 0};
    text[0] = '\0';
    dl_iterate_phdr(list_object, &listing);
}
