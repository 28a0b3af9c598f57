/* The early moment (early.h): what is loaded, read from the dynamic linker's list; what is bound
 * already; our symbol table. */
#define _GNU_SOURCE
#include "interpose/early.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "api/mpi_functions.h"
#include "base/hot.h"
#include "interpose/elf_symbols.h"

/* The linker's own names for what is in this library. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-redundant-declaration) */
extern HIDDEN ElfW(Dyn) _DYNAMIC[];
extern HIDDEN const ElfW(Ehdr) __ehdr_start;
/* NOLINTEND(bugprone-reserved-identifier,readability-redundant-declaration) */

/* System calls without libc, for code that runs while the dynamic linker is at work:
 * what libc's functions call may be interposed by a program that is not relocated yet. They set no
 * errno. */

#if defined(__x86_64__)
static inline long system_call(long number, long first, long second, long third, long fourth)
{
    register long in_r10 __asm__("r10") = fourth;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(in_r10)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static inline long system_call(long number, long first, long second, long third, long fourth)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
#endif

/* Is something mapped there? The address must begin a page. */
static inline bool is_mapped(uintptr_t address)
{
    enum { ASYNC = 1 };
    return system_call(SYS_msync, (long)address, 1, ASYNC, 0) == 0;
}

/* The kernel refuses an address that begins no page, and does nothing to 0 bytes. */
static inline uintptr_t find_page_size(void)
{
    enum { ASYNC = 1, LARGEST = 65536 };
    uintptr_t size = 4096;
    while (size < LARGEST && system_call(SYS_msync, (long)size, 0, ASYNC, 0) != 0)
        size *= 2;
    return size;
}

/* Bits of a mapping's protection. */
enum { READ = 1, WRITE = 2, EXECUTE = 4 };

/* ---- what is loaded -------------------------------------------------------------------------- */

struct early_objects {
    struct elf_symbols *list;
    int count;
    const struct elf_symbols *own; /* libmprof.so; NULL = not found, then nothing can be done */
    const struct elf_symbols *mpi; /* what defines PMPI_Init; NULL = there is none */
};

enum { MOST_OBJECTS = 1024 };

/* A program that names _r_debug has its own copy, which is not filled in before the program is
 * relocated. Then the linker's own one is looked up: the kernel tells where the linker is. */
static uintptr_t load_address_of_linker(void)
{
    static const char path[] = "/proc/self/auxv";
    unsigned long pair[2] = {0, 0};
    unsigned long base = 0;
    unsigned long headers = 0;
    const long file = system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0);
    while (file >= 0 &&
           system_call(SYS_read, file, (long)pair, sizeof pair, 0) == (long)sizeof pair &&
           pair[0] != AT_NULL) {
        if (pair[0] == AT_BASE)
            base = pair[1];
        else if (pair[0] == AT_PHDR)
            headers = pair[1];
    }
    if (file >= 0)
        system_call(SYS_close, file, 0, 0, 0);
    /* No base: the linker was started as the program. Its program header is in its first page. */
    return base != 0 ? base : headers & ~4095ul;
}

static const struct r_debug *debug_of_linker(void)
{
    const uintptr_t base = load_address_of_linker();
    if (base == 0)
        return NULL;
    const ElfW(Ehdr) *header = (const void *)base;
    const ElfW(Phdr) *segment = (const void *)(base + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        struct elf_symbols linker;
        if (segment[i].p_type != PT_DYNAMIC ||
            !elf_symbols_at(base, (const void *)(base + segment[i].p_vaddr), &linker))
            continue;
        const ElfW(Sym) *symbol = elf_find_defined(&linker, "_r_debug");
        return symbol == NULL ? NULL : (const void *)(base + symbol->st_value);
    }
    return NULL;
}

/* Weak: a linker that has no such list to offer lets us find it ourselves. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,readability-redundant-declaration) */
extern struct r_debug _r_debug __attribute__((weak));

/* Our reference to _r_debug is resolved before the early moment. */
static const struct link_map *first_object(void)
{
    const struct r_debug *debug = &_r_debug;
    if (debug == NULL || debug->r_map == NULL)
        debug = debug_of_linker();
    return debug == NULL ? NULL : debug->r_map;
}

/* What is loaded now, valid until the next call. With the linker's lock, or inside
 * dl_iterate_phdr(). */
static const struct early_objects *early_read_objects(void)
{
    static SELDOM struct elf_symbols list[MOST_OBJECTS];
    static struct early_objects objects;
    objects.list = list;
    objects.count = 0;
    objects.own = NULL;
    objects.mpi = NULL;
    const struct link_map *map = first_object();
    for (; map != NULL && objects.count < MOST_OBJECTS; map = map->l_next) {
        struct elf_symbols *object = &list[objects.count];
        if (!elf_symbols_at(map->l_addr, map->l_ld, object))
            continue;
        objects.count++;
        if (map->l_ld == _DYNAMIC)
            objects.own = object;
        else if (objects.mpi == NULL && elf_find_defined(object, "PMPI_Init") != NULL)
            objects.mpi = object;
    }
    return &objects;
}

static void *definition_in(const struct elf_symbols *object, const char *name, uint32_t hash)
{
    const ElfW(Sym) *symbol = elf_find_hashed(object, name, hash);
    return symbol == NULL ? NULL : (void *)(object->load_address + symbol->st_value);
}

/* Where the process has this function of MPI, if libmprof.so were not there; NULL = nowhere. */
static void *early_native_definition(const struct early_objects *objects, const char *name)
{
    const uint32_t hash = elf_hash(name);
    void *address = objects->mpi == NULL ? NULL : definition_in(objects->mpi, name, hash);
    for (int i = 0; address == NULL && i < objects->count; i++)
        if (&objects->list[i] != objects->own)
            address = definition_in(&objects->list[i], name, hash);
    return address;
}

/* Has the process's MPI MPI_X or PMPI_X? */
static bool early_has_function(const struct early_objects *objects, int function)
{
    enum { CAPACITY = 96 };
    if (objects->mpi == NULL)
        return false;
    const char *name = mpi_function_name(function);
    char pmpi[CAPACITY];
    size_t length = 1;
    pmpi[0] = 'P';
    for (; name[length - 1] != '\0' && length < CAPACITY - 1; length++)
        pmpi[length] = name[length - 1];
    pmpi[length] = '\0';
    return early_native_definition(objects, pmpi) != NULL ||
           early_native_definition(objects, name) != NULL;
}

/* ---- what is bound already ------------------------------------------------------------------- */

/* References that were bound to our names before these were taken out (early.h): those of the
 * libraries that the program is linked with, in their global offset tables and in data. */

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

/* From the program header, to which the file header leads. That is at the load address except for
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

/* References of linked libraries that lead to names of ours that are hidden: to what they would
 * have found, else to NULL if they are weak. */
static void early_correct_slots(const struct early_objects *objects)
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

/* ---- our symbol table ------------------------------------------------------------------------ */

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

enum { FIRST_VERSION = 2, HIDDEN_VERSION = 0x8000 };

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

static void *bell_resolver(void)
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
    own->symbols[index].st_value = (uintptr_t)bell_resolver - own->load_address;
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
 * resolver, after all other relocations of this library. The pointer is also used later, because
 * linkers may drop what nobody refers to. */

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
