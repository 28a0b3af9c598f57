/* The dynamic symbols of a loaded object, for the few places that look into one: finding the MPI,
 * hiding our own exports, patching Fortran libraries, listing what is not covered. Reads only what
 * the dynamic linker has mapped. */
#ifndef MPROF_ELF_SYMBOLS_H
#define MPROF_ELF_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symbols {
    const ElfW(Dyn) * dynamic;
    ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash;   /* NULL = none */
    uint32_t count;             /* of symbols; 0 without gnu_hash */
    const ElfW(Rela) * rela[2]; /* DT_JMPREL, DT_RELA */
    size_t rela_bytes[2];
};

/* Of an object in dl_iterate_phdr(); false if it has no dynamic symbols. */
bool elf_symbols_of(const struct dl_phdr_info *info, struct elf_symbols *object);

/* The symbol that the object itself defines, or NULL. */
const ElfW(Sym) * elf_find_defined(const struct elf_symbols *object, const char *name);

/* Does the address lie in what is loaded of the object? */
bool elf_contains(const struct dl_phdr_info *info, const void *address);

#endif
