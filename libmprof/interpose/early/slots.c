/* References that were bound to our names before these were taken out (early.h): those of the
 * libraries that the program is linked with, in their global offset tables and in data. */
#define _GNU_SOURCE
#include <elf.h>

#include "interpose/early/early.h"
#include "interpose/early/system_calls.h"

enum { READ = 1, WRITE = 2 };

/* What of an object is read-only after relocation. */
struct relro {
    uintptr_t begin;
    uintptr_t end;
};

static bool begins_elf_file(const ElfW(Ehdr) * header)
{
    return header->e_ident[EI_MAG0] == ELFMAG0 && header->e_ident[EI_MAG1] == ELFMAG1 &&
           header->e_ident[EI_MAG2] == ELFMAG2 && header->e_ident[EI_MAG3] == ELFMAG3;
}

/* From the program header, to which the file header leads. That lies at the load address but for
 * executables and prelinked libraries. False = leave the object alone. */
static bool find_relro(const struct elf_symbols *object, struct relro *relro)
{
    const uintptr_t base = object->load_address;
    const uintptr_t page = find_page_size();
    const ElfW(Ehdr) *header = (const void *)base;
    relro->begin = relro->end = 0;
    if (base == 0 || base % page != 0 || !is_mapped(base) || !begins_elf_file(header))
        return false;
    const ElfW(Phdr) *segment = (const void *)(base + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_GNU_RELRO) {
            relro->begin = (base + segment[i].p_vaddr) & ~(page - 1);
            relro->end = (base + segment[i].p_vaddr + segment[i].p_memsz) & ~(page - 1);
        }
    return true;
}

static bool protect(const struct relro *relro, int protection)
{
    return relro->begin >= relro->end ||
           system_call(SYS_mprotect, (long)relro->begin, (long)(relro->end - relro->begin),
                       protection, 0) == 0;
}

static bool is_mpi_name(const char *name)
{
    return name[0] == 'M' && name[1] == 'P' && name[2] == 'I' && name[3] == '_';
}

/* Few objects refer to MPI: the relocations of the others need not be looked at. */
static bool refers_to_mpi(const struct elf_symbols *object)
{
    const uint32_t count = elf_count_undefined(object);
    for (uint32_t i = 1; i < count; i++)
        if (is_mpi_name(object->names + object->symbols[i].st_name))
            return true;
    return false;
}

static uintptr_t own_bytes(void)
{
    const ElfW(Phdr) *segment =
        (const void *)((uintptr_t)&__ehdr_start + (uintptr_t)__ehdr_start.e_phoff);
    uintptr_t bytes = 0;
    for (int i = 0; i < __ehdr_start.e_phnum; i++)
        if (segment[i].p_type == PT_LOAD)
            bytes = segment[i].p_vaddr + segment[i].p_memsz;
    return bytes;
}

/* Of an object whose references are corrected. */
struct correction {
    const struct early_objects *objects;
    const struct elf_symbols *object;
    uintptr_t own_bytes; /* of libmprof.so */
    struct relro relro;
    bool is_open;
};

/* True if the reference has to be corrected, then *native is what it would have found. A strong one
 * that would have found nothing stays: without mprof the program would not start. */
static bool find_native(const struct correction *correction, const ElfW(Sym) * wanted,
                        uintptr_t *native)
{
    const struct early_objects *objects = correction->objects;
    const char *name = correction->object->names + wanted->st_name;
    if (!is_mpi_name(name) || elf_find_defined(objects->own, name) != NULL)
        return false;
    /* Where there is an MPI, a name that is hidden is nowhere. */
    *native = objects->mpi != NULL ? 0 : (uintptr_t)early_native_definition(objects, name);
    return *native != 0 || ELF64_ST_BIND(wanted->st_info) == STB_WEAK;
}

static bool open_object(struct correction *correction)
{
    if (!correction->is_open)
        correction->is_open = find_relro(correction->object, &correction->relro) &&
                              protect(&correction->relro, READ | WRITE);
    return correction->is_open;
}

/* False = the object cannot be written to. */
static bool correct(struct correction *correction, const ElfW(Rela) * relocation)
{
    const struct elf_symbols *object = correction->object;
    const uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    if (type != ELF_ENTRY && type != ELF_CALL && type != ELF_WORD)
        return true;
    uintptr_t *slot = (uintptr_t *)(object->load_address + relocation->r_offset);
    const uintptr_t addend = type == ELF_WORD ? (uintptr_t)relocation->r_addend : 0;
    uintptr_t native = 0;
    /* Else it is bound to another object, or not bound yet (lazy), or not relocated yet. */
    if (*slot - addend - (uintptr_t)&__ehdr_start >= correction->own_bytes ||
        !find_native(correction, &object->symbols[ELF64_R_SYM(relocation->r_info)], &native))
        return true;
    if (!open_object(correction))
        return false;
    *slot = native == 0 ? addend : native + addend;
    return true;
}

static void correct_object(struct correction *correction)
{
    const struct elf_symbols *object = correction->object;
    for (int table = 0; table < 2; table++) {
        const size_t count = object->rela_bytes[table] / sizeof(ElfW(Rela));
        /* DT_RELA begins with those that have no symbol. */
        size_t i = table == 1 && object->relative_count <= count ? object->relative_count : 0;
        for (; i < count; i++)
            if (!correct(correction, &object->rela[table][i]))
                return;
    }
}

void early_correct_slots(const struct early_objects *objects)
{
    const uintptr_t bytes = own_bytes();
    for (int i = 0; i < objects->count; i++) {
        struct correction correction = {objects, &objects->list[i], bytes, {0, 0}, false};
        if (correction.object == objects->own || !correction.object->may_be_corrected ||
            !refers_to_mpi(correction.object))
            continue;
        correct_object(&correction);
        if (correction.is_open)
            (void)protect(&correction.relro, READ);
    }
}
