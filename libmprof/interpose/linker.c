/* The dynamic linker's own functions, and references that are redirected (linker.h). */
#define _GNU_SOURCE
#include "interpose/linker.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

typedef void *dlopen_type(const char *file, int flags);
typedef void *dlsym_type(void *handle, const char *name);

static dlopen_type *libc_dlopen;
static dlsym_type *libc_dlsym;

/* dlvsym() is not hooked. Versions: glibc 2.34 moved all of these into libc; before that each
 * architecture has its first version, and x86-64 a later one of dladdr1(). */
void *libc_function(const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17",
                                           "GLIBC_2.3.3"};
    void *address = NULL;
    for (size_t i = 0; address == NULL && i < sizeof versions / sizeof versions[0]; i++)
        address = dlvsym(RTLD_NEXT, name, versions[i]);
    return address;
}

static dlsym_type *find_dlsym(void)
{
    if (libc_dlsym == NULL)
        libc_dlsym = (dlsym_type *)libc_function("dlsym");
    return libc_dlsym;
}

void *next_hook(const char *name)
{
    void *next = find_dlsym()(RTLD_NEXT, name);
    return next != NULL ? next : libc_function(name);
}

void *real_dlopen(const char *file, int flags)
{
    if (libc_dlopen == NULL)
        libc_dlopen = (dlopen_type *)libc_function("dlopen");
    return libc_dlopen(file, flags);
}

void *real_dlsym(void *handle, const char *name)
{
    return find_dlsym()(handle, name);
}

void *find_from(const char *path, const char *name)
{
    void *handle = real_dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == NULL)
        return NULL;
    void *address = real_dlsym(handle, name);
    dlclose(handle);
    return address;
}

const struct link_map *link_map_of(const void *address)
{
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 ? map : NULL;
}

/* Of those that were loaded with the program. */
static const struct link_map *last_at_start;

static __attribute__((constructor)) void note_start(void)
{
    last_at_start = link_map_of((const void *)note_start);
    while (last_at_start != NULL && last_at_start->l_next != NULL)
        last_at_start = last_at_start->l_next;
}

bool was_loaded_before(const struct link_map *object, const struct link_map *other)
{
    for (; other != NULL; other = other->l_prev)
        if (other == object)
            return true;
    return false;
}

bool was_loaded_at_start(const struct link_map *object)
{
    return last_at_start == NULL || was_loaded_before(object, last_at_start);
}

/* ---- references ------------------------------------------------------------------------------ */

/* What is read-only after relocation (-z relro) must be made writable for a moment. */
struct read_only_part {
    uintptr_t begin;
    uintptr_t end;
};

static struct read_only_part read_only_part_of(const struct dl_phdr_info *info)
{
    struct read_only_part part = {0, 0};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            part.begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            part.end = part.begin + info->dlpi_phdr[i].p_memsz;
        }
    return part;
}

static void write_slot(struct read_only_part part, void **slot, void *value)
{
    uintptr_t page = (uintptr_t)getauxval(AT_PAGESZ);
    uintptr_t begin = (uintptr_t)slot & ~(page - 1);
    bool read_only = (uintptr_t)slot >= part.begin && (uintptr_t)slot < part.end;
    if (read_only && mprotect((void *)begin, page, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (read_only)
        mprotect((void *)begin, page, PROT_READ);
}

/* An address of a function and nothing else: no offset to it, no copy of an object. */
static bool holds_address(const ElfW(Rela) * relocation)
{
    uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    return (type == ELF_WORD || type == ELF_ENTRY || type == ELF_CALL) && relocation->r_addend == 0;
}

void got_redirect(const struct dl_phdr_info *info, const struct elf_symbols *object,
                  choose_target *choose, void *context)
{
    struct read_only_part part = read_only_part_of(info);
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; i < object->rela_bytes[table] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *relocation = &object->rela[table][i];
            uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
            if (symbol == 0 || !holds_address(relocation))
                continue;
            void **slot = (void **)(info->dlpi_addr + relocation->r_offset);
            struct got_reference reference = {info, object,
                                              object->names + object->symbols[symbol].st_name,
                                              ELF64_R_TYPE(relocation->r_info) == ELF_CALL, *slot};
            void *target = choose(&reference, context);
            if (target != NULL && target != *slot)
                write_slot(part, slot, target);
        }
}
