/* Fills the tables between the program and its MPI, and finds what they need: where functions are
 * defined, and which other tools are there (bind_mpi.h). */
#define _GNU_SOURCE
#include "interpose/bind_mpi.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "interpose/early.h"
#include "interpose/elf_symbols.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "record/paths/call_stack.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

/* ---- where a function is defined ------------------------------------------------------------- */

/* Where a function of MPI is defined, as dlsym() tells, but faster.
 *
 * dlsym() asks one library after the other for each name, and writes an error for a name that none
 * has. For 700 names, twice, this took 3 ms whenever a program with MPI started. Mostly no other
 * object than the MPI library defines such a name, which the Bloom filters of their symbol tables
 * say. Then the answer is the library's own symbol. In any other case dlsym() is asked.
 *
 * Another thread may unload an object at any time, but not the MPI library, which is held. So the
 * others are read in one go, with the linker's lock.
 */

enum kind { OF_MPI, OF_PMPI, KINDS }; /* MPI_X, PMPI_X */

static struct {
    void *handle;
    struct elf_symbols mpi; /* .symbols NULL = not found, or not to be read here */
    bool mpi_is_found;
    bool all_are_known;
    uint32_t hash[KINDS][MPI_FUNCTION_COUNT];
    /* Does any object but the MPI library and libmprof.so define it? */
    bool others_have[KINDS][MPI_FUNCTION_COUNT];
} known;

/* dlsym() has rules of its own for a library with versions, and for a table of the old kind. */
static bool is_simple(const struct elf_symbols *object)
{
    return object->gnu_hash != NULL && !object->has_versions;
}

/* In `text`, which has room for any. */
enum { NAME_BYTES = 96 };
static const char *name_of(enum kind kind, int function, char *text)
{
    text[0] = 'P';
    memccpy(text + 1, mpi_function_name(function), '\0', NAME_BYTES - 2);
    return kind == OF_PMPI ? text : text + 1;
}

static void note_definitions(const struct elf_symbols *object)
{
    char text[NAME_BYTES] = "";
    for (int kind = 0; kind < KINDS; kind++)
        for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
            const uint32_t hash = known.hash[kind][function];
            if (elf_may_define(object->gnu_hash, hash) &&
                elf_find_hashed(object, name_of((enum kind)kind, function, text), hash) != NULL)
                known.others_have[kind][function] = true;
        }
}

/* All that can be unloaded is read here, where the linker waits with that. */
static int take_object(struct dl_phdr_info *info, size_t size, void *mpi_path)
{
    (void)size;
    struct elf_symbols object;
    const bool is_kernels = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR); /* its vDSO */
    if (is_kernels || elf_contains(info, (const void *)take_object) ||
        !elf_symbols_of(info, &object))
        return 0;
    if (!known.mpi_is_found && strcmp(info->dlpi_name, mpi_path) == 0) {
        known.mpi_is_found = true;
        if (is_simple(&object))
            known.mpi = object;
    } else if (object.gnu_hash == NULL) {
        known.all_are_known = false;
    } else {
        note_definitions(&object);
    }
    return 0;
}

/* Looks at what is loaded now. To be called before the others. */
static void definitions_open(const struct mpi_library *library)
{
    char text[NAME_BYTES] = "";
    for (int kind = 0; kind < KINDS; kind++)
        for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
            known.hash[kind][function] = elf_hash(name_of((enum kind)kind, function, text));
            known.others_have[kind][function] = false;
        }
    known.handle = library->handle;
    known.mpi.symbols = NULL;
    known.mpi_is_found = false;
    known.all_are_known = true;
    dl_iterate_phdr(take_object, (void *)(uintptr_t)library->path);
}

/* NULL = the MPI library does not define it. False = only dlsym() can tell. */
static bool find_in_mpi(const char *name, uint32_t hash, void **address)
{
    if (known.mpi.symbols == NULL)
        return false;
    const ElfW(Sym) *symbol = elf_find_hashed(&known.mpi, name, hash);
    *address = symbol == NULL ? NULL : (void *)(known.mpi.load_address + symbol->st_value);
    return symbol == NULL || ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

static bool others_define(enum kind kind, int function)
{
    return known.others_have[kind][function] || !known.all_are_known;
}

static void *find_in_library(enum kind kind, int function)
{
    char text[NAME_BYTES] = "";
    const char *name = name_of(kind, function, text);
    void *address = NULL;
    const bool is_known = find_in_mpi(name, known.hash[kind][function], &address);
    /* A library comes first in the scope of its handle. */
    if (is_known && (address != NULL || !others_define(kind, function)))
        return address;
    return real_dlsym(known.handle, name);
}

/* PMPI_X as dlsym() finds it with the library's handle; or MPI_X where a library lacks the
 * profiling name (MPICH's ABI library for functions removed in MPI 3.0). NULL = there is none. */
static void *definition_in_mpi(int function)
{
    void *address = find_in_library(OF_PMPI, function);
    return address != NULL ? address : find_in_library(OF_MPI, function);
}

/* MPI_X as dlsym() finds it with RTLD_NEXT, if that finds what the MPI library defines. NULL =
 * there is none. */
static void *definition_after_us(int function)
{
    const char *name = mpi_function_name(function);
    void *address = NULL;
    if (find_in_mpi(name, known.hash[OF_MPI][function], &address) &&
        !others_define(OF_MPI, function))
        return address;
    return real_dlsym(RTLD_NEXT, name);
}

enum { MAX_FRONT = 8, MAX_TOOLS = 16 };

/* Objects that the dynamic linker asks before libmprof.so. */
static struct {
    uintptr_t load_address;
    struct elf_symbols symbols;
} front[MAX_FRONT];
static int front_count;

static struct elf_symbols program; /* .symbols NULL = it is no tool */
static uintptr_t program_address;

static uintptr_t tools[MAX_TOOLS]; /* load addresses of libraries that define MPI functions */
static int tool_count;
static bool has_tool_in_front;

static void *tool_functions[MPI_FUNCTION_COUNT]; /* NULL = no tool has it */
static bool mpi_is_global;

/* The function that is on its way from a redirected PMPI_X to PMPI_X itself, plus 1; 0 = none. */
static __thread int past_tools __attribute__((tls_model("initial-exec")));

/* ---- finding them ---------------------------------------------------------------------------- */

/* The linker lists objects in the order in which it asks them, the program first. */
static int take_object_in_front(struct dl_phdr_info *info, size_t size, void *is_first)
{
    (void)size;
    bool first = *(bool *)is_first;
    *(bool *)is_first = false;
    if (elf_contains(info, (void *)take_object_in_front))
        return 1;
    struct elf_symbols symbols;
    if (!elf_symbols_of(info, &symbols) || elf_find_defined(&symbols, "PMPI_Init") != NULL)
        return 0;
    if (first) {
        program = symbols;
        program_address = info->dlpi_addr;
    } else if (front_count < MAX_FRONT) {
        front[front_count].load_address = info->dlpi_addr;
        front[front_count++].symbols = symbols;
    }
    return 0;
}

/* Before mpi_next[] is filled: finds the tools; `handle` is the MPI library's. */
static void find_other_tools(void)
{
    bool is_first = true;
    dl_iterate_phdr(take_object_in_front, &is_first);
    /* Otherwise the MPI was loaded for one library alone, and no tool can call it by name. */
    mpi_is_global = real_dlsym(RTLD_NEXT, "PMPI_Init") == mpi_pmpi[FN_MPI_Init];
}

static void remember_tool(uintptr_t load_address)
{
    if (!is_tool_at(load_address) && tool_count < MAX_TOOLS)
        tools[tool_count++] = load_address;
}

static void *definition_in_front(const char *name)
{
    for (int i = 0; i < front_count; i++) {
        const ElfW(Sym) *symbol = elf_find_defined(&front[i].symbols, name);
        if (symbol == NULL)
            continue;
        has_tool_in_front = true;
        remember_tool(front[i].load_address);
        return (void *)(front[i].load_address + symbol->st_value);
    }
    return NULL;
}

/* Of a library that the linker asks after us and before the MPI. */
static void *definition_behind(int function)
{
    void *address = definition_after_us(function);
    Dl_info own;
    Dl_info mpi;
    /* A function that only the MPI's Fortran library defines (MPI_Status_c2f08) does not make that
     * library a tool. */
    if (address == NULL || mpi_pmpi[function] == NULL || address == mpi_pmpi[function] ||
        dladdr(address, &own) == 0)
        return address;
    if (dladdr(mpi_pmpi[FN_MPI_Init], &mpi) != 0 && own.dli_fbase != mpi.dli_fbase)
        remember_tool((uintptr_t)own.dli_fbase);
    return address;
}

/* Where a call of this function goes without mprof: a tool's MPI_X, or PMPI_X. NULL = nowhere. */
static void *next_definition(int function)
{
    if (!mpi_is_global)
        return mpi_pmpi[function];
    void *next = definition_in_front(mpi_function_name(function));
    if (next == NULL)
        next = definition_behind(function);
    return next != NULL ? next : mpi_pmpi[function];
}

void *native_definition(int function)
{
    return tool_functions[function] != NULL ? tool_functions[function] : mpi_pmpi[function];
}

bool is_tool_in_front(void)
{
    return has_tool_in_front;
}

bool is_tool_at(uintptr_t load_address)
{
    for (int i = 0; i < tool_count; i++)
        if (tools[i] == load_address)
            return true;
    return false;
}

bool is_in_tool(const void *address)
{
    Dl_info info;
    return tool_count > 0 && dladdr(address, &info) != 0 && is_tool_at((uintptr_t)info.dli_fbase);
}

bool is_tool_function(int function, const void *at)
{
    return at != NULL && at == tool_functions[function];
}

bool program_has_own(int function)
{
    return program.symbols != NULL &&
           elf_find_defined(&program, mpi_function_name(function)) != NULL;
}

/* ---- a tool that is part of the program ------------------------------------------------------ */

static bool is_in_program_function(uintptr_t address, const ElfW(Sym) * symbol)
{
    return symbol->st_shndx != SHN_UNDEF &&
           address - (program_address + symbol->st_value) < symbol->st_size &&
           strncmp(program.names + symbol->st_name, "MPI_", 4) == 0;
}

/* The tool's MPI_Y around this address, or NULL. */
static const char *tool_function_around(uintptr_t address)
{
    const uint32_t count = elf_count_symbols(&program);
    for (uint32_t i = 0; i < count; i++)
        if (is_in_program_function(address, &program.symbols[i]))
            return program.names + program.symbols[i].st_name;
    return NULL;
}

/* MPI_Init and MPI_Init_thread, MPI_Send and MPI_Send_c are each other's. */
static bool begin_alike(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == '\0' || *b == '\0';
}

static bool is_made_for_tool(int function, const void *return_address, const void *cfa)
{
    enum { FRAMES = 16 };
    struct stack_frame frames[FRAMES];
    int cut = 0;
    struct stack_range range = {(uintptr_t)cfa, own_stack_end((uintptr_t)cfa), 0};
    int count = walk_stack(return_address, &range, frames, FRAMES, &cut);
    for (int i = 0; i < count; i++) {
        const char *around = tool_function_around(frames[i].return_address - 1);
        if (around != NULL)
            return !begin_alike(around, mpi_function_name(function));
    }
    return false; /* a tool whose MPI_X ends in a jump to PMPI_X leaves no frame */
}

/* The stack is walked once per return address. A lost race walks twice. */
static bool is_made_for_tool_once(int function, const void *return_address, const void *cfa)
{
    enum { KNOWN = 256 };
    static uintptr_t answers[KNOWN]; /* address << 1 | answer; 0 = free */
    uintptr_t *line = &answers[((uintptr_t)return_address >> 2) % KNOWN];
    uintptr_t content = __atomic_load_n(line, __ATOMIC_RELAXED);
    if (content >> 1 == (uintptr_t)return_address)
        return (content & 1u) != 0;
    bool made_for_tool = is_made_for_tool(function, return_address, cfa);
    __atomic_store_n(line, (uintptr_t)return_address << 1 | made_for_tool, __ATOMIC_RELAXED);
    return made_for_tool;
}

static void *entry_for_program(const struct got_reference *reference, void *context)
{
    (void)context;
    const char *name = reference->name;
    int function = strncmp(name, "PMPI_", 5) == 0 ? mpi_function_named(name + 1) : -1;
    bool is_tools = function >= 0 && mpi_pmpi[function] != NULL && program_has_own(function);
    return is_tools ? entry_past_tools(function) : NULL;
}

static int redirect_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct elf_symbols object;
    if (elf_symbols_of(info, &object))
        got_redirect(info, &object, entry_for_program, context);
    return 1; /* the first one is the program */
}

/* Sends PMPI calls of a tool that is part of the program to entry_past_tools(). */
static void redirect_tool_in_program(void)
{
    if (program.symbols != NULL)
        dl_iterate_phdr(redirect_program, NULL);
}

/* ---- passing calls on ------------------------------------------------------------------------ */

/* The stubs of trampolines_*.S: two for each function, of 16 bytes each. */
extern const char mprof_past_tools[] HIDDEN;
extern const char mprof_to_tool[] HIDDEN;
enum { STUB_BYTES = 16 };

void *entry_past_tools(int function)
{
    return (void *)(uintptr_t)(mprof_past_tools + (ptrdiff_t)function * STUB_BYTES);
}

/* What mpi_next[] holds for a function whose next definition is `next`. */
static void *next_entry(int function, void *next)
{
    if (next == mpi_pmpi[function])
        return next;
    tool_functions[function] = next;
    return (void *)(uintptr_t)(mprof_to_tool + (ptrdiff_t)function * STUB_BYTES);
}

/* Called by the stubs: where to jump. */
void *mprof_pass_on(uint32_t stub, const void *return_address, const void *cfa);
void *mprof_pass_on(uint32_t stub, const void *return_address, const void *cfa)
{
    int function = (int)(stub % MPI_FUNCTION_COUNT);
    if (stub >= MPI_FUNCTION_COUNT) {
        bool past = past_tools == function + 1;
        past_tools = 0;
        return past && mpi_pmpi[function] != NULL ? mpi_pmpi[function] : tool_functions[function];
    }
    if (program_has_own(function) && is_made_for_tool_once(function, return_address, cfa))
        return mpi_pmpi[function];
    if (tool_functions[function] != NULL)
        past_tools = function + 1;
    return mpi_slots[function];
}

/* ---- filling the tables ---------------------------------------------------------------------- */

static bool bound;

static void *slot_for(const struct abi_family *family, int function)
{
    if (mpi_next[function] == NULL)
        return (void *)family->unsupported;
    /* A function that only another library has (one of a newer standard, made from functions of the
     * MPI) is called directly, because its wrapper might ask the MPI about it. */
    void *wrapper = mpi_pmpi[function] != NULL ? family->wrapper_of(function) : NULL;
    return wrapper != NULL ? wrapper : mpi_next[function];
}

static void fill_tables(void)
{
    definitions_open(bound_mpi());
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        mpi_pmpi[function] = definition_in_mpi(function);
    find_other_tools();
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        mpi_next[function] = next_entry(function, next_definition(function));
    /* All library functions come first: another thread may use a slot as soon as it is set. */
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++)
        __atomic_store_n(&mpi_slots[function], slot_for(bound_mpi()->family, function),
                         __ATOMIC_RELEASE);
}

static int show_names_with_lock(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)info;
    (void)size;
    (void)context;
    early_look_for_mpi();
    return 1;
}

/* Mostly they were shown when the library was loaded. */
static void show_names(void)
{
    dl_iterate_phdr(show_names_with_lock, NULL);
}

bool bind_mpi(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (__atomic_load_n(&bound, __ATOMIC_ACQUIRE))
        return true;
    int program_errno = errno;
    pthread_mutex_lock(&lock);
    if (!bound && find_mpi() && bound_mpi()->family->bind(bound_mpi()->handle)) {
        fill_tables();
        show_names();
        redirect_tool_in_program();
        mpi_services = bound_mpi()->family->services;
        __atomic_store_n(&bound, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    errno = program_errno;
    return bound;
}

/* The result of a call when there is no MPI at all. No ABI is known, so any error code will do. */
static int no_mpi(void)
{
    return 16;
}

/* Called by the lazy stubs (trampolines_*.S) at the first MPI call: where to jump. */
void *mprof_resolve(uint32_t function);
void *mprof_resolve(uint32_t function)
{
    return bind_mpi() ? mpi_slots[function] : (void *)no_mpi;
}
