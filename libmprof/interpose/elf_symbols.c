/* Dynamic symbols of loaded objects (elf_symbols.h). Calls nothing outside this file, not even
 * by the compiler's choice: part of it runs at the early moment (early/early.h). */
#define _GNU_SOURCE
#include "interpose/elf_symbols.h"

#include <elf.h>

/* Not strcmp(): see the head of the file. */
static bool is_same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* ld writes one for an object that defines nothing. It says nothing of the undefined symbols. */
static bool is_empty_table(const uint32_t *gnu_hash)
{
    const uint32_t bloom_words = gnu_hash[2] * (uint32_t)(sizeof(ElfW(Addr)) / sizeof(uint32_t));
    return gnu_hash[0] == 0 || (gnu_hash[0] == 1 && gnu_hash[4 + bloom_words] == 0);
}

static uint32_t count_in_relocations(const struct elf_symbols *object)
{
    uint32_t count = 0;
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; i < object->rela_bytes[table] / sizeof(ElfW(Rela)); i++) {
            const uint32_t symbol = (uint32_t)ELF64_R_SYM(object->rela[table][i].r_info);
            count = symbol >= count ? symbol + 1 : count;
        }
    return count;
}

uint32_t elf_count_undefined(const struct elf_symbols *object)
{
    if (object->gnu_hash != NULL && !is_empty_table(object->gnu_hash))
        return object->gnu_hash[1];
    return object->old_hash != NULL ? object->old_hash[1] : count_in_relocations(object);
}

/* All defined ones are in the GNU hash table, after the undefined ones; so the highest index that
 * the table reaches, plus one. */
uint32_t elf_count_symbols(const struct elf_symbols *object)
{
    const uint32_t *gnu_hash = object->gnu_hash;
    if (gnu_hash == NULL || is_empty_table(gnu_hash))
        return elf_count_undefined(object);
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

/* Not one assignment of a structure, for which the compiler may call memset(). */
static void clear(struct elf_symbols *object)
{
    object->symbols = NULL;
    object->names = NULL;
    object->gnu_hash = NULL;
    object->old_hash = NULL;
    object->versions = NULL;
    object->has_versions = false;
    object->may_be_corrected = true;
    object->rela[0] = NULL;
    object->rela[1] = NULL;
    object->rela_bytes[0] = 0;
    object->rela_bytes[1] = 0;
    object->relative_count = 0;
}

static void take_entry(const ElfW(Dyn) * entry, void *pointer, struct elf_symbols *object)
{
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
    case DT_HASH:
        object->old_hash = pointer;
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
    case DT_RELACOUNT:
        object->relative_count = entry->d_un.d_val;
        break;
    case DT_VERSYM:
        object->versions = pointer;
        break;
    case DT_VERDEF:
        object->has_versions = true;
        break;
    case DT_TEXTREL:
    case DT_GNU_PRELINKED:
        object->may_be_corrected = false;
        break;
    case DT_FLAGS:
        if ((entry->d_un.d_val & DF_TEXTREL) != 0)
            object->may_be_corrected = false;
        break;
    default:
        break;
    }
}

bool elf_symbols_at(ElfW(Addr) load_address, const ElfW(Dyn) * dynamic, struct elf_symbols *object)
{
    clear(object);
    object->load_address = load_address;
    object->dynamic = dynamic;
    for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++)
        take_entry(dynamic, relocated(load_address, dynamic->d_un.d_ptr), object);
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

/* System V ABI, the hash of DT_HASH. */
static uint32_t old_hash_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name != '\0'; name++) {
        hash = (hash << 4) + (uint8_t)*name;
        hash ^= hash >> 24 & 0xf0u;
    }
    return hash & 0x0fffffffu;
}

static bool is_definition(const struct elf_symbols *object, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &object->symbols[index];
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           is_same_text(object->names + symbol->st_name, name);
}

static const ElfW(Sym) * find_in_old_table(const struct elf_symbols *object, const char *name)
{
    const uint32_t *table = object->old_hash;
    if (table == NULL || table[0] == 0)
        return NULL;
    const uint32_t *chain = table + 2 + table[0];
    for (uint32_t index = table[2 + old_hash_of(name) % table[0]]; index != 0; index = chain[index])
        if (is_definition(object, index, name))
            return &object->symbols[index];
    return NULL;
}

const ElfW(Sym) * elf_find_hashed(const struct elf_symbols *object, const char *name, uint32_t hash)
{
    const uint32_t *table = object->gnu_hash;
    if (table == NULL)
        return find_in_old_table(object, name);
    if (!elf_may_define(table, hash) || table[0] == 0)
        return NULL;
    const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = buckets + table[0];
    uint32_t index = buckets[hash % table[0]];
    for (; index >= table[1] && index != 0; index++) {
        uint32_t entry = chain[index - table[1]];
        if ((entry | 1u) == (hash | 1u) && is_definition(object, index, name))
            return &object->symbols[index];
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
