/* Libraries of another MPI (second_mpi.h).
 *
 * The references of such a library lead to libmprof.so, which comes first for everybody. Without
 * mprof they lead to what all libraries of the process see, and if that has no MPI to the MPI that
 * the library is linked with. Which one that is dlsym() tells for the library's handle. What the
 * references name is then read from the symbols of that MPI, because dlsym() may not be called
 * where references are written. */
#define _GNU_SOURCE
#include "interpose/second_mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/warn.h"
#include "interpose/elf_symbols.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "record/calls/attach.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

/* Beyond that many, calls go to the first MPI. */
enum { MOST_OTHERS = 4, MOST_LIBRARIES = 1024, PATH_BYTES = 1024 };

struct other_mpi {
    ElfW(Addr) load_address;
    bool is_used; /* by a library that is linked with it */
    char path[PATH_BYTES];
};

struct library {
    ElfW(Addr) load_address;
    int mpi; /* in others[], or -1 */
    bool is_known;
};

static struct other_mpi others[MOST_OTHERS];
static int other_count;
static struct library libraries[MOST_LIBRARIES];
static int library_count;
static int objects_seen;          /* of the first ones in the linker's list nothing is new */
static char path_now[PATH_BYTES]; /* of the library that is looked at */

static int other_at(ElfW(Addr) load_address)
{
    for (int i = 0; i < other_count; i++)
        if (others[i].load_address == load_address)
            return i;
    return -1;
}

static bool is_mpi(const struct dl_phdr_info *info, struct elf_symbols *object)
{
    return !elf_contains(info, (const void *)is_mpi) && elf_symbols_of(info, object) &&
           elf_find_defined(object, "PMPI_Init") != NULL;
}

/* New ones come last. */
static int note_other(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    struct elf_symbols object;
    int *number = count;
    if ((*number)++ < objects_seen)
        return 0;
    if (other_count < MOST_OTHERS && strcmp(info->dlpi_name, bound_mpi()->path) != 0 &&
        other_at(info->dlpi_addr) < 0 && is_mpi(info, &object)) {
        struct other_mpi *other = &others[other_count];
        other->load_address = info->dlpi_addr;
        snprintf(other->path, sizeof other->path, "%s", info->dlpi_name);
        other_count++;
    }
    return 0;
}

static struct library *library_at(ElfW(Addr) load_address)
{
    for (int i = 0; i < library_count; i++)
        if (libraries[i].load_address == load_address)
            return &libraries[i];
    return NULL;
}

/* The next library that was not looked at: its path, in path_now. */
static int take_new(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (info->dlpi_name[0] == '\0' || library_at(info->dlpi_addr) != NULL)
        return 0;
    libraries[library_count++] = (struct library){info->dlpi_addr, -1, false};
    snprintf(path_now, sizeof path_now, "%s", info->dlpi_name);
    return 1;
}

/* In others[], or -1. */
static int mpi_that_has(const void *address)
{
    const struct link_map *map = address != NULL ? link_map_of(address) : NULL;
    return map != NULL ? other_at(map->l_addr) : -1;
}

/* Which MPI is it that this library sees? */
static int mpi_of(const char *path)
{
    const void *seen_by_all = real_dlsym(RTLD_NEXT, "PMPI_Init");
    if (seen_by_all != NULL)
        return mpi_that_has(seen_by_all);
    return mpi_that_has(find_from(path, "PMPI_Init"));
}

static bool leads_here(const struct got_reference *reference, int function)
{
    return reference->target == mpi_trampoline(function) ||
           (reference->is_call && elf_contains(reference->info, reference->target));
}

static void *choose_own(const struct got_reference *reference, void *context)
{
    const int function =
        strncmp(reference->name, "MPI_", 4) == 0 ? mpi_function_named(reference->name) : -1;
    if (function < 0 || !leads_here(reference, function))
        return NULL;
    const struct elf_symbols *symbols = context;
    const ElfW(Sym) *symbol = elf_find_defined(symbols, reference->name);
    return symbol != NULL ? (void *)(symbols->load_address + symbol->st_value) : NULL;
}

static int read_symbols(struct dl_phdr_info *info, size_t size, void *symbols)
{
    (void)size;
    struct elf_symbols *wanted = symbols;
    const ElfW(Addr) load_address = wanted->load_address;
    return info->dlpi_addr == load_address && info->dlpi_name[0] != '\0' &&
           elf_symbols_of(info, wanted);
}

static void note_use(struct other_mpi *other)
{
    if (!other->is_used && record.stopped && record.run != NULL)
        warn("%s is a second MPI in this process: its calls are not recorded", other->path);
    other->is_used = true;
}

static int redirect(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    struct elf_symbols object;
    struct library *library = library_at(info->dlpi_addr);
    if (library == NULL || library->mpi < 0 || library->is_known)
        return 0;
    struct other_mpi *other = &others[library->mpi];
    struct elf_symbols mpi = {.load_address = other->load_address};
    library->is_known = true;
    if (info->dlpi_addr != other->load_address)
        note_use(other);
    if (dl_iterate_phdr(read_symbols, &mpi) != 0 && elf_symbols_of(info, &object))
        got_redirect(info, &object, choose_own, &mpi);
    return 0;
}

void second_mpi_look(void)
{
    int count = 0;
    dl_iterate_phdr(note_other, &count);
    objects_seen = count;
    if (other_count == 0)
        return;
    while (library_count < MOST_LIBRARIES && dl_iterate_phdr(take_new, NULL) != 0) {
        struct library *library = &libraries[library_count - 1];
        library->mpi = mpi_of(path_now);
    }
    dl_iterate_phdr(redirect, NULL);
}

/* An MPI that takes the place of one that was unloaded is also another MPI. */
void second_mpi_forget(void)
{
    library_count = objects_seen = 0;
}

bool second_mpi_has(unsigned long load_address)
{
    const struct library *library = library_at(load_address);
    return library != NULL && library->mpi >= 0;
}

void second_mpi_list(char *names, size_t capacity)
{
    struct text text = {names, capacity - 1, 0};
    for (int i = 0; i < other_count; i++)
        if (others[i].is_used)
            text_format(&text, "%s%s (a second MPI)", text.length > 0 ? ", " : "",
                        base_name(others[i].path));
    names[text.length] = '\0';
}
