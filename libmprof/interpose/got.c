/* Redirecting references (got.h). */
#define _GNU_SOURCE
#include "interpose/got.h"

#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>

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
