/* Dynamic symbols of loaded objects (elf_symbols.h). */
#define _GNU_SOURCE
#include "interpose/elf_symbols.h"

#include <string.h>

/* Number of entries of .dynsym: all defined ones are in the GNU hash table, after the undefined
 * ones; so the highest index that the table reaches, plus one. */
uint32_t elf_count_symbols(const struct elf_symbols *object)
{
    const uint32_t *gnu_hash = object->gnu_hash;
    if (gnu_hash == NULL)
        return 0;
    uint32_t bucket_count = gnu_hash[0];
    uint32_t first_symbol = gnu_hash[1];
    uint32_t bloom_words = gnu_hash[2] * (uint32_t)(sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *buckets = gnu_hash + 4 + bloom_words;
    const uint32_t *chain = buckets + bucket_count;
    uint32_t last = 0;
    for (uint32_t i = 0; i < bucket_count; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < first_symbol)
        return first_symbol;
    while ((chain[last - first_symbol] & 1u) == 0)
        last++;
    return last + 1;
}

/* The linker relocates the pointers of a dynamic section, but not those of the kernel's vDSO, which
 * it cannot write to. */
static void *relocated(ElfW(Addr) load_address, ElfW(Addr) pointer)
{
    return (void *)(pointer < load_address ? pointer + load_address : pointer);
}

static const ElfW(Dyn) * find_dynamic(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

bool elf_symbols_at(ElfW(Addr) load_address, const ElfW(Dyn) * dynamic, struct elf_symbols *object)
{
    *object = (struct elf_symbols){.dynamic = dynamic};
    const ElfW(Dyn) *entry = dynamic;
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        void *pointer = relocated(load_address, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object->symbols = pointer;
            break;
        case DT_STRTAB:
            object->names = pointer;
            break;
        case DT_GNU_HASH:
            object->gnu_hash = pointer;
            break;
        case DT_JMPREL:
            object->rela[0] = pointer;
            break;
        case DT_PLTRELSZ:
            object->rela_bytes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            object->rela[1] = pointer;
            break;
        case DT_RELASZ:
            object->rela_bytes[1] = entry->d_un.d_val;
            break;
        case DT_VERDEF:
            object->has_versions = true;
            break;
        default:
            break;
        }
    }
    return object->symbols != NULL && object->names != NULL;
}

bool elf_symbols_of(const struct dl_phdr_info *info, struct elf_symbols *object)
{
    return elf_symbols_at(info->dlpi_addr, find_dynamic(info), object);
}

/* glibc, dl-new-hash.h: h = h * 33 + c from 5381. */
uint32_t elf_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

const ElfW(Sym) * elf_find_hashed(const struct elf_symbols *object, const char *name, uint32_t hash)
{
    const uint32_t *table = object->gnu_hash;
    if (table == NULL || !elf_may_define(table, hash))
        return NULL;
    const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = buckets + table[0];
    uint32_t index = table[0] == 0 ? 0 : buckets[hash % table[0]];
    for (; index >= table[1] && index != 0; index++) {
        uint32_t entry = chain[index - table[1]];
        const ElfW(Sym) *symbol = &object->symbols[index];
        if ((entry | 1u) == (hash | 1u) && strcmp(object->names + symbol->st_name, name) == 0)
            return symbol->st_shndx != SHN_UNDEF ? symbol : NULL;
        if (entry & 1u)
            break;
    }
    return NULL;
}

const ElfW(Sym) * elf_find_defined(const struct elf_symbols *object, const char *name)
{
    return elf_find_hashed(object, name, elf_hash(name));
}

bool elf_contains(const struct dl_phdr_info *info, const void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            (uintptr_t)address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}
