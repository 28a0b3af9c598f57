/* The relocations of a loaded object: where its calls go. */
#ifndef MPROF_GOT_H
#define MPROF_GOT_H

#include <link.h>
#include <stdbool.h>

#include "interpose/elf_symbols.h"

/* A reference by name that the object makes through its global offset table. */
struct got_reference {
    const struct dl_phdr_info *info;
    const struct elf_symbols *object;
    const char *name;
    bool is_call; /* goes through the procedure linkage table */
    void *target; /* where it leads now: into the object itself while it was never used */
};

/* The new target of the reference; NULL = leave it. */
typedef void *choose_target(const struct got_reference *reference, void *context);

/* Asks `choose` for each reference of the object and writes what it answers. */
void got_redirect(const struct dl_phdr_info *info, const struct elf_symbols *object,
                  choose_target *choose, void *context);

#endif
