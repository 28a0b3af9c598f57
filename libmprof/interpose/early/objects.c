/* What is loaded, read from the dynamic linker's list (early.h). */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>

#include "api/mpi_functions.h"
#include "base/hot.h"
#include "interpose/early/early.h"
#include "interpose/early/system_calls.h"

enum { MOST_OBJECTS = 1024 };

/* A program that names _r_debug has a copy of it, which is not filled in before the program is
 * relocated. Then the linker's own one is looked up: the kernel tells where the linker lies. */
static uintptr_t load_address_of_linker(void)
{
    static const char path[] = "/proc/self/auxv";
    unsigned long pair[2] = {0, 0};
    unsigned long base = 0;
    unsigned long headers = 0;
    const long file = system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0);
    while (file >= 0 &&
           system_call(SYS_read, file, (long)pair, sizeof pair, 0) == (long)sizeof pair &&
           pair[0] != AT_NULL) {
        if (pair[0] == AT_BASE)
            base = pair[1];
        else if (pair[0] == AT_PHDR)
            headers = pair[1];
    }
    if (file >= 0)
        system_call(SYS_close, file, 0, 0, 0);
    /* No base: the linker was started as the program. Its program header is in its first page. */
    return base != 0 ? base : headers & ~4095ul;
}

static const struct r_debug *debug_of_linker(void)
{
    const uintptr_t base = load_address_of_linker();
    if (base == 0)
        return NULL;
    const ElfW(Ehdr) *header = (const void *)base;
    const ElfW(Phdr) *segment = (const void *)(base + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        struct elf_symbols linker;
        if (segment[i].p_type != PT_DYNAMIC ||
            !elf_symbols_at(base, (const void *)(base + segment[i].p_vaddr), &linker))
            continue;
        const ElfW(Sym) *symbol = elf_find_defined(&linker, "_r_debug");
        return symbol == NULL ? NULL : (const void *)(base + symbol->st_value);
    }
    return NULL;
}

/* Weak: a linker that has no such list to offer lets us find it ourselves. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,readability-redundant-declaration) */
extern struct r_debug _r_debug __attribute__((weak));

/* Our reference to _r_debug is resolved before the early moment. */
static const struct link_map *first_object(void)
{
    const struct r_debug *debug = &_r_debug;
    if (debug == NULL || debug->r_map == NULL)
        debug = debug_of_linker();
    return debug == NULL ? NULL : debug->r_map;
}

const struct early_objects *early_read_objects(void)
{
    static SELDOM struct elf_symbols list[MOST_OBJECTS];
    static struct early_objects objects;
    objects.list = list;
    objects.count = 0;
    objects.own = NULL;
    objects.mpi = NULL;
    const struct link_map *map = first_object();
    for (; map != NULL && objects.count < MOST_OBJECTS; map = map->l_next) {
        struct elf_symbols *object = &list[objects.count];
        if (!elf_symbols_at(map->l_addr, map->l_ld, object))
            continue;
        objects.count++;
        if (map->l_ld == _DYNAMIC)
            objects.own = object;
        else if (objects.mpi == NULL && elf_find_defined(object, "PMPI_Init") != NULL)
            objects.mpi = object;
    }
    return &objects;
}

static void *definition_in(const struct elf_symbols *object, const char *name, uint32_t hash)
{
    const ElfW(Sym) *symbol = elf_find_hashed(object, name, hash);
    return symbol == NULL ? NULL : (void *)(object->load_address + symbol->st_value);
}

void *early_native_definition(const struct early_objects *objects, const char *name)
{
    const uint32_t hash = elf_hash(name);
    void *address = objects->mpi == NULL ? NULL : definition_in(objects->mpi, name, hash);
    for (int i = 0; address == NULL && i < objects->count; i++)
        if (&objects->list[i] != objects->own)
            address = definition_in(&objects->list[i], name, hash);
    return address;
}

bool early_has_function(const struct early_objects *objects, int function)
{
    enum { CAPACITY = 96 };
    if (objects->mpi == NULL)
        return false;
    const char *name = mpi_function_name(function);
    char pmpi[CAPACITY];
    size_t length = 1;
    pmpi[0] = 'P';
    for (; name[length - 1] != '\0' && length < CAPACITY - 1; length++)
        pmpi[length] = name[length - 1];
    pmpi[length] = '\0';
    return early_native_definition(objects, pmpi) != NULL ||
           early_native_definition(objects, name) != NULL;
}
