/* Our symbol table: names that the process lacks are taken out, and put back when it has them
 * (early.h).
 *
 * An MPI that is opened later must be seen before anything is bound to it: a plugin that is linked
 * with it may call it from a constructor, inside the same dlopen(). So where there was no MPI at
 * the early moment a bell is set up: the name __gmon_start__, to which nearly every object has a
 * weak reference (crti.o of libc). Without -pg it is defined nowhere, and NULL. Our own one is
 * exported with a version that hides it, until the bell is set up. From then on it is a function
 * that says its address when it is asked, and says NULL. The dynamic linker asks it while it
 * relocates each object that comes, those of an MPI before those that need them.
 *
 * What has no such reference is seen by the hooks of dlopen() and dlsym(), or at the first call.
 */
#define _GNU_SOURCE
#include <elf.h>

#include "api/mpi_functions.h"
#include "interpose/early/early.h"
#include "interpose/early/system_calls.h"

enum { READ = 1, WRITE = 2, EXECUTE = 4, FIRST_VERSION = 2, HIDDEN_VERSION = 0x8000 };

/* Of the functions that are hidden. */
static struct {
    uint32_t symbol; /* index in our table; 0 = the function is not hidden */
    ElfW(Half) section;
    ElfW(Addr) value;
} hidden[MPI_FUNCTION_COUNT];
static uint32_t last_hidden;
static bool waits_for_mpi; /* all that the process has was hidden, because it had no MPI */

static int protection_of(uintptr_t address)
{
    const uintptr_t base = (uintptr_t)&__ehdr_start;
    const ElfW(Phdr) *segment = (const void *)(base + __ehdr_start.e_phoff);
    int protection = READ;
    for (int i = 0; i < __ehdr_start.e_phnum; i++)
        if (segment[i].p_type == PT_LOAD &&
            address - base - segment[i].p_vaddr < segment[i].p_memsz)
            protection = (segment[i].p_flags & PF_R ? READ : 0) |
                         (segment[i].p_flags & PF_W ? WRITE : 0) |
                         (segment[i].p_flags & PF_X ? EXECUTE : 0);
    return protection;
}

/* Some linkers put tables on pages that hold code, which is executed meanwhile. */
static bool open_pages(const void *begin, const void *end, bool is_open)
{
    const uintptr_t first = (uintptr_t)begin & ~(find_page_size() - 1);
    const int protection = protection_of((uintptr_t)begin) | (is_open ? READ | WRITE : 0);
    return system_call(SYS_mprotect, (long)first, (long)((uintptr_t)end - first), protection, 0) ==
           0;
}

static bool open_symbols(const struct elf_symbols *own, uint32_t last, bool is_open)
{
    return open_pages(own->symbols, own->symbols + last + 1, is_open);
}

static uint32_t own_symbol(const struct elf_symbols *own, const char *name)
{
    const ElfW(Sym) *symbol = elf_find_defined(own, name);
    return symbol == NULL ? 0 : (uint32_t)(symbol - own->symbols);
}

/* ---- showing --------------------------------------------------------------------------------- */

static void show_names(const struct early_objects *objects)
{
    if (!open_symbols(objects->own, last_hidden, true))
        return;
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
        ElfW(Sym) *symbol = &objects->own->symbols[hidden[function].symbol];
        if (hidden[function].symbol == 0 || !early_has_function(objects, function))
            continue;
        /* In this order: another thread may be looking. */
        symbol->st_value = hidden[function].value;
        __atomic_store_n(&symbol->st_shndx, hidden[function].section, __ATOMIC_RELEASE);
    }
    (void)open_symbols(objects->own, last_hidden, false);
}

/* If there was no MPI so far and there is one now, puts the names back that it has. From any
 * thread, with the linker's lock or inside dl_iterate_phdr(). */
static void show_names_of_mpi(void)
{
    static bool is_at_work;
    if (!__atomic_load_n(&waits_for_mpi, __ATOMIC_ACQUIRE) ||
        __atomic_exchange_n(&is_at_work, true, __ATOMIC_ACQUIRE))
        return; /* another thread does it */
    const struct early_objects *objects = early_read_objects();
    if (objects->mpi != NULL && objects->own != NULL) {
        show_names(objects);
        __atomic_store_n(&waits_for_mpi, false, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&is_at_work, false, __ATOMIC_RELEASE);
}

/* ---- the bell -------------------------------------------------------------------------------- */

static void *ring(void)
{
    show_names_of_mpi();
    return NULL;
}

/* The exported name; never called, because the bell says NULL. trampolines' pattern in the version
 * script makes this one local. */
__attribute__((visibility("default"))) void mprof_call_bell(void);
__attribute__((visibility("default"))) void mprof_call_bell(void) {}
__asm__(".symver mprof_call_bell, __gmon_start__@MPROF_BELL");

/* A reference without a version finds a hidden name of the first version, and dlsym() does not. */
static void set_up_bell(const struct elf_symbols *own)
{
    const uint32_t index = own_symbol(own, "__gmon_start__");
    if (index == 0 || own->versions == NULL)
        return;
    ElfW(Half) *version = &own->versions[index];
    if (!open_symbols(own, index, true))
        return;
    own->symbols[index].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
    own->symbols[index].st_value = (uintptr_t)ring - own->load_address;
    if (open_pages(version, version + 1, true)) { /* the pages may be the same */
        *version = HIDDEN_VERSION | FIRST_VERSION;
        (void)open_pages(version, version + 1, false);
    }
    (void)open_symbols(own, index, false);
}

/* ---- hiding ---------------------------------------------------------------------------------- */

static void hide_names(const struct early_objects *objects)
{
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
        const uint32_t index = early_has_function(objects, function)
                                   ? 0
                                   : own_symbol(objects->own, mpi_function_name(function));
        hidden[function].symbol = index;
        hidden[function].value = objects->own->symbols[index].st_value;
        hidden[function].section = objects->own->symbols[index].st_shndx;
        last_hidden = index > last_hidden ? index : last_hidden;
    }
    if (last_hidden == 0 || !open_symbols(objects->own, last_hidden, true))
        return;
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
        ElfW(Sym) *symbol = &objects->own->symbols[hidden[function].symbol];
        if (hidden[function].symbol == 0)
            continue;
        symbol->st_value = 0;
        symbol->st_shndx = SHN_UNDEF;
    }
    (void)open_symbols(objects->own, last_hidden, false);
    if (objects->mpi == NULL) {
        waits_for_mpi = true;
        set_up_bell(objects->own);
    }
}

/* ---- the early moment ------------------------------------------------------------------------ */

/* A pointer to an IFUNC that nobody else sees. The linker fills it in by calling the function's
 * resolver, after all other relocations of this library. The pointer is used later, too: linkers
 * may drop what nobody refers to. */

static void at_the_early_moment(void)
{
    static bool has_come;
    if (has_come) /* some linkers make two relocations of one pointer */
        return;
    has_come = true;
    const struct early_objects *objects = early_read_objects();
    if (objects->own == NULL)
        return;
    hide_names(objects);
    early_correct_slots(objects);
}

/* Named in an attribute below, which not every compiler takes for a use. */
static __attribute__((used)) early_function *resolve_early(void)
{
    at_the_early_moment();
    return show_names_of_mpi;
}

/* Clang exports such a function whatever its visibility. */
early_function mprof_early HIDDEN __attribute__((ifunc("resolve_early")));
__asm__(".hidden mprof_early");

early_function *const volatile early_look_for_mpi = mprof_early;
