/* Redirecting references to a GPU's driver (gpu_references.h). Only objects that name a driver
 * among the libraries that they need are looked into, so a process without one pays for a look at
 * their names. While objects are visited nothing is asked of the dynamic linker, whose lock is
 * held. */
#define _GNU_SOURCE
#include "interpose/gpu_references.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "base/options.h"
#include "interpose/elf_symbols.h"
#include "interpose/got.h"
#include "interpose/gpu_driver.h"

/* Those that are loaded. */
enum { DRIVERS = 4 };
struct drivers {
    size_t count;
    struct dl_phdr_info info[DRIVERS];
    struct elf_symbols symbols[DRIVERS];
};

static int note_driver(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct drivers *drivers = context;
    if (drivers->count < DRIVERS && is_gpu_driver(info->dlpi_name) &&
        elf_symbols_of(info, &drivers->symbols[drivers->count]))
        drivers->info[drivers->count++] = *info;
    return 0;
}

static bool needs_driver(const struct elf_symbols *object)
{
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && is_gpu_driver(object->names + entry->d_un.d_val))
            return true;
    return false;
}

/* Of a reference that was never used, what it will lead to. */
static void *defined_by(const struct drivers *drivers, const char *name)
{
    for (size_t i = 0; i < drivers->count; i++) {
        const ElfW(Sym) *symbol = elf_find_defined(&drivers->symbols[i], name);
        if (symbol != NULL)
            return (void *)(drivers->info[i].dlpi_addr + symbol->st_value);
    }
    return NULL;
}

static bool is_in_driver(const struct drivers *drivers, const void *target)
{
    for (size_t i = 0; i < drivers->count; i++)
        if (elf_contains(&drivers->info[i], target))
            return true;
    return false;
}

static void *wrapper_instead(const struct got_reference *reference, void *context)
{
    const struct drivers *drivers = context;
    void *target = reference->target;
    if (!is_gpu_name(reference->name))
        return NULL;
    if (reference->is_call && elf_contains(reference->info, target))
        target = defined_by(drivers, reference->name);
    return target != NULL && is_in_driver(drivers, target)
               ? gpu_wrapper_for(reference->name, target)
               : NULL;
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct elf_symbols object;
    if (!is_gpu_driver(info->dlpi_name) && elf_symbols_of(info, &object) && needs_driver(&object))
        got_redirect(info, &object, wrapper_instead, context);
    return 0;
}

void gpu_redirect_references(void)
{
    struct drivers drivers = {.count = 0};
    dl_iterate_phdr(note_driver, &drivers);
    if (drivers.count > 0 && !options_gpu_is_off())
        dl_iterate_phdr(redirect_object, &drivers);
}
