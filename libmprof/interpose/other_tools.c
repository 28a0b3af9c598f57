/* Finding other tools and passing calls on to them (other_tools.h). */
#define _GNU_SOURCE
#include "interpose/other_tools.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "interpose/definitions.h"
#include "interpose/elf_symbols.h"
#include "interpose/got.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "record/paths/call_stack.h"
#include "record/paths/own_stack.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

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

void find_other_tools(void)
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

void *next_definition(int function)
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
    static uintptr_t known[KNOWN]; /* address << 1 | answer; 0 = free */
    uintptr_t *line = &known[((uintptr_t)return_address >> 2) % KNOWN];
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

void redirect_tool_in_program(void)
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

void *next_entry(int function, void *next)
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
