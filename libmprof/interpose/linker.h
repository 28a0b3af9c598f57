/* The dynamic linker's own functions, past all hooks, where it has put what, and
 * the references that it has resolved.
 *
 * libmprof.so exports dlopen(), dlsym(), dladdr() and dladdr1() (loader.h): inside it the plain
 * names would be those. From any thread. What is on the floors above asks here; this calls nothing
 * of libmprof. */
#ifndef MPROF_LINKER_H
#define MPROF_LINKER_H

#include <link.h>
#include <stdbool.h>

#include "interpose/elf_symbols.h"

void *real_dlopen(const char *file, int flags);
void *real_dlsym(void *handle, const char *name);

/* Of the dynamic linker, past all hooks. NULL = there is none. */
void *libc_function(const char *name);

/* The function that would get the program's call without mprof. Another library, such as
 * AddressSanitizer, may hook it as well. */
void *next_hook(const char *name);

/* What dlsym() finds for the loaded object of this path; NULL = nothing. */
void *find_from(const char *path, const char *name);

/* The object that contains this address; NULL = none. */
struct link_map;
const struct link_map *link_map_of(const void *address);

/* Was the object loaded before the other one, or is it that one? */
bool was_loaded_before(const struct link_map *object, const struct link_map *other);

/* Was it loaded with the program? Before our constructor: so far everything was. */
bool was_loaded_at_start(const struct link_map *object);

/* ---- references ------------------------------------------------------------------------------ */

/* The relocations of a loaded object: where its calls go. */

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
