/* Sending the calls of Fortran libraries to our wrappers (fortran_got.h).
 *
 * Open MPI's call PMPI_X, MPICH's and Intel's partly MPI_X, which reaches the trampolines by
 * itself, partly PMPI_X. So in the relocations of these libraries each reference to PMPI_X is
 * replaced by the wrapper of X: exactly one count per call, for mpif.h, use mpi and use mpi_f08,
 * and for every compiler, because only C names are involved.
 *
 * The libraries also ask MPI a few things on their own behalf (MPI_Comm_size to know how many
 * counts an MPI_ALLTOALLW has) or make a datatype of an array section for the time of a call
 * (MPICH's mpi_f08). Those are functions of the family `helper` in mprof_functions.txt:
 * their wrapper counts a call from a Fortran library only if it comes from the library's function
 * of the same name.
 */
#define _GNU_SOURCE
#include "interpose/fortran_got.h"

#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/warn.h"
#include "interpose/bind_mpi.h"
#include "interpose/elf_symbols.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "interpose/second_mpi.h"

enum { MAX_LIBRARIES = 16, MAX_SEGMENTS = 8 };

/* The executable parts of patched libraries, to tell where a call comes from. */
static struct {
    uintptr_t load_address;
    uintptr_t begin[MAX_SEGMENTS];
    uintptr_t end[MAX_SEGMENTS];
    int segments;
} patched[MAX_LIBRARIES];
int fortran_libraries;

bool is_fortran_library(const char *path)
{
    static const char *const names[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort",
                                        "libmpichf90",  "libmpifort",    NULL};
    return base_name_begins(path, names);
}

/* A call of PMPI_X by the program passes other tools by, as it does without mprof. */
static void *wrapper_for(const struct got_reference *reference, void *context)
{
    (void)context;
    const char *name = reference->name;
    int function = strncmp(name, "PMPI_", 5) == 0 ? mpi_function_named(name + 1) : -1;
    if (function < 0 || mpi_pmpi[function] == NULL)
        return NULL;
    return mpi_next[function] == mpi_pmpi[function] ? mpi_slots[function]
                                                    : entry_past_tools(function);
}

static bool is_patched(uintptr_t load_address)
{
    for (int i = 0; i < fortran_libraries; i++)
        if (patched[i].load_address == load_address)
            return true;
    return false;
}

static void remember(const struct dl_phdr_info *info)
{
    patched[fortran_libraries].load_address = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum && patched[fortran_libraries].segments < MAX_SEGMENTS;
         i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        int at = patched[fortran_libraries].segments++;
        patched[fortran_libraries].begin[at] = info->dlpi_addr + segment->p_vaddr;
        patched[fortran_libraries].end[at] = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
    }
    __atomic_store_n(&fortran_libraries, fortran_libraries + 1, __ATOMIC_RELEASE);
}

static int patch_if_fortran(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (fortran_libraries == MAX_LIBRARIES || !is_fortran_library(info->dlpi_name) ||
        is_patched(info->dlpi_addr) || second_mpi_has(info->dlpi_addr))
        return 0;
    struct elf_symbols object;
    if (elf_symbols_of(info, &object)) {
        remember(info);
        got_redirect(info, &object, wrapper_for, NULL);
    }
    return 0;
}

void patch_fortran_libraries(void)
{
    dl_iterate_phdr(patch_if_fortran, NULL);
}

static bool is_in_fortran_library(uintptr_t address)
{
    int count = __atomic_load_n(&fortran_libraries, __ATOMIC_ACQUIRE);
    for (int i = 0; i < count; i++)
        for (int segment = 0; segment < patched[i].segments; segment++)
            if (address >= patched[i].begin[segment] && address < patched[i].end[segment])
                return true;
    return false;
}

bool is_fortran_call(const void *return_address)
{
    return is_in_fortran_library((uintptr_t)return_address);
}

/* Does the name of the function around `address` (mpi_comm_size_, ompi_comm_size_f, MPI_COMM_SIZE,
 * mpi_comm_size_f08_ ...) contain that of the MPI function without its prefix? */
static bool is_inside_function(const void *address, int function)
{
    Dl_info info;
    char name[128];
    char wanted[128];
    if (dladdr(address, &info) == 0)
        return true;
    /* A function that the program can call is exported, but a function of the library may be in
     * between. So the call is counted. Datatypes are not: functions without a name make them for
     * the library. */
    if (info.dli_sname == NULL)
        return (mpi_function_marks[function] & MPI_IS_MADE_INSIDE) == 0;
    size_t i = 0;
    for (; info.dli_sname[i] != '\0' && i < sizeof name - 1; i++)
        name[i] = (char)tolower((unsigned char)info.dli_sname[i]);
    name[i] = '\0';
    const char *mpi_name = mpi_function_name(function) + strlen("MPI_");
    for (i = 0; mpi_name[i] != '\0' && i < sizeof wanted - 1; i++)
        wanted[i] = (char)tolower((unsigned char)mpi_name[i]);
    wanted[i] = '\0';
    return strstr(name, wanted) != NULL;
}

bool is_fortran_helper_call_there(const void *return_address, int function)
{
    /* Names are looked up once per return address: dladdr() takes microseconds. A lost race looks
     * up twice. There are fewer addresses than lines. Addresses with the same line move on to the
     * next line. When they replaced each other, alternating calls of MPI_Comm_rank and
     * MPI_Comm_size made a run of pw.x a sixth longer. */
    enum { KNOWN = 64, PROBES = 16 };
    static uintptr_t known[KNOWN]; /* address << 1 | answer; 0 = free */
    uintptr_t address = (uintptr_t)return_address;
    if (!is_in_fortran_library(address))
        return false;
    uintptr_t *line = NULL;
    for (uintptr_t i = 0; i < PROBES; i++) {
        line = &known[((address >> 2) + i) % KNOWN];
        uintptr_t content = __atomic_load_n(line, __ATOMIC_RELAXED);
        if (content >> 1 == address)
            return (content & 1u) != 0;
        if (content == 0)
            break;
    }
    bool is_helper = !is_inside_function(return_address, function);
    __atomic_store_n(line, address << 1 | is_helper, __ATOMIC_RELAXED);
    return is_helper;
}

/* ---- functions that are not covered ---------------------------------------------------------- */

/* What the program could call of MPI that libmprof would not see (fortran_got.h). The report says
 * so, rather than be silently wrong.
 *
 * Looks at the program and at each library that is linked with the MPI (not at the MPI itself):
 * functions of the MPI's own extensions (MPIX_), functions that are not in our table, and PMPI_
 * functions, which a tool calls to avoid tools; but for the MPI's Fortran libraries, whose PMPI
 * calls are patched (fortran_got.c), and for other tools, whose calls are not the program's.
 */

struct listing {
    char *text;
    size_t capacity;
    size_t length;
};

static void add_name(struct listing *listing, const char *name, const char *path)
{
    size_t room = listing->capacity - listing->length;
    int length = snprintf(listing->text + listing->length, room, "%s%s (%s)",
                          listing->length > 0 ? ", " : "", name,
                          *path == '\0' ? "the program" : base_name(path));
    if (length > 0 && (size_t)length < room)
        listing->length += (size_t)length;
    else
        listing->text[listing->length] = '\0'; /* what does not fit is left out whole */
}

/* The MPI's own C++ bindings. Their few PMPI calls are not calls of the program. */
static bool is_cxx_library(const char *path)
{
    static const char *const names[] = {"libmpi_cxx", "libmpichcxx", "libmpicxx", NULL};
    return base_name_begins(path, names);
}

static bool is_seen(const char *name)
{
    if (strncmp(name, "MPI_", 4) == 0)
        return mpi_function_named(name) >= 0;
    return strncmp(name, "MPIX_", 5) != 0 && strncmp(name, "PMPI_", 5) != 0;
}

/* A tool that is part of the program calls PMPI_X where the program called MPI_X. */
static bool is_tool_call(const char *name)
{
    int function = strncmp(name, "PMPI_", 5) == 0 ? mpi_function_named(name + 1) : -1;
    return function >= 0 && program_has_own(function);
}

static int list_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct elf_symbols object;
    if (strcmp(info->dlpi_name, bound_mpi()->path) == 0 || is_fortran_library(info->dlpi_name) ||
        is_cxx_library(info->dlpi_name) || is_tool_at(info->dlpi_addr) ||
        !elf_symbols_of(info, &object) || !needs_mpi(&object, info->dlpi_name))
        return 0;
    const uint32_t count = elf_count_symbols(&object);
    for (uint32_t i = 0; i < count; i++) {
        const ElfW(Sym) *symbol = &object.symbols[i];
        const char *name = object.names + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT &&
            !is_seen(name) && !(*info->dlpi_name == '\0' && is_tool_call(name)))
            add_name(context, name, info->dlpi_name);
    }
    return 0;
}

void list_not_covered(char *text, size_t capacity)
{
    struct listing listing = {text, capacity, 0};
    text[0] = '\0';
    dl_iterate_phdr(list_object, &listing);
}
