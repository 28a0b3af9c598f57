/* The dynamic symbols of a loaded object, for the few places that look into one: finding the MPI,
 * hiding our own exports, patching Fortran libraries, listing what is not covered. Reads only what
 * the dynamic linker has mapped. */
#ifndef MPROF_ELF_SYMBOLS_H
#define MPROF_ELF_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Relocations that an address of a function is written by: in data, in the global offset table, and
 * in that of the procedure linkage table. */
#ifdef __aarch64__
enum { ELF_WORD = R_AARCH64_ABS64, ELF_ENTRY = R_AARCH64_GLOB_DAT, ELF_CALL = R_AARCH64_JUMP_SLOT };
#else
enum { ELF_WORD = R_X86_64_64, ELF_ENTRY = R_X86_64_GLOB_DAT, ELF_CALL = R_X86_64_JUMP_SLOT };
#endif

struct elf_symbols {
    ElfW(Addr) load_address;
    const ElfW(Dyn) * dynamic;
    ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash;   /* NULL = none */
    const uint32_t *old_hash;   /* DT_HASH; NULL = none */
    ElfW(Half) * versions;      /* of the symbols; NULL = none */
    bool has_versions;          /* several symbols may have one name */
    bool may_be_corrected;      /* not prelinked, and its code needs no relocation */
    const ElfW(Rela) * rela[2]; /* DT_JMPREL, DT_RELA */
    size_t rela_bytes[2];
    size_t relative_count; /* with so many relocations without a symbol DT_RELA begins */
};

/* Of an object in dl_iterate_phdr(); false if it has no dynamic symbols. */
bool elf_symbols_of(const struct dl_phdr_info *info, struct elf_symbols *object);

/* The same of an object that is known by its link map. */
bool elf_symbols_at(ElfW(Addr) load_address, const ElfW(Dyn) * dynamic, struct elf_symbols *object);

/* How many symbols there are, and how many of them may be undefined, which come first. If the
 * object defines none: as many as its relocations name. */
uint32_t elf_count_symbols(const struct elf_symbols *object);
uint32_t elf_count_undefined(const struct elf_symbols *object);

/* Hash of a name in a GNU hash table. */
uint32_t elf_hash(const char *name);

/* The Bloom filter of the object's table: false = surely no symbol has this hash. */
static inline bool elf_may_define(const uint32_t *gnu_hash, uint32_t hash)
{
    enum { BITS = 8 * sizeof(ElfW(Addr)) };
    const ElfW(Addr) *words = (const void *)(gnu_hash + 4);
    const ElfW(Addr) word = words[hash / BITS & (gnu_hash[2] - 1)];
    return (word >> hash % BITS & word >> (hash >> gnu_hash[3]) % BITS & 1u) != 0;
}

/* The symbol that the object itself defines, or NULL. The second one is for a name that many
 * objects are asked for. */
const ElfW(Sym) * elf_find_defined(const struct elf_symbols *object, const char *name);
const ElfW(Sym) *
    elf_find_hashed(const struct elf_symbols *object, const char *name, uint32_t hash);

/* Is the address in the loaded part of the object? */
bool elf_contains(const struct dl_phdr_info *info, const void *address);

#endif
