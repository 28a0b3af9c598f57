/* Watching the dynamic linker (loader.h): when to look, the hooks' C part, and hiding what an MPI
 * lacks. */
#define _GNU_SOURCE
#include "interpose/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "interpose/elf_symbols.h"
#include "interpose/gomp_binding.h"
#include "interpose/mpi_binding.h"
#include "interpose/other_tools.h"
#include "interpose/references.h"
#include "record/callsites.h"
#include "record/parallel/parallel_regions.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

typedef void *dlopen_type(const char *file, int flags);
typedef void *dlsym_type(void *handle, const char *name);

static dlopen_type *libc_dlopen;
static dlsym_type *libc_dlsym;

/* dlvsym() is not hooked. Versions: glibc 2.34 moved both into libc; before that each architecture
 * has its first version. */
static void *libc_function(const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    void *address = NULL;
    for (size_t i = 0; address == NULL && i < sizeof versions / sizeof versions[0]; i++)
        address = dlvsym(RTLD_NEXT, name, versions[i]);
    return address;
}

static dlopen_type *find_dlopen(void)
{
    if (libc_dlopen == NULL)
        libc_dlopen = (dlopen_type *)libc_function("dlopen");
    return libc_dlopen;
}

static dlsym_type *find_dlsym(void)
{
    if (libc_dlsym == NULL)
        libc_dlsym = (dlsym_type *)libc_function("dlsym");
    return libc_dlsym;
}

/* The function that would get the program's call without mprof. Another library may hook it, too,
 * such as AddressSanitizer. */
static void *next_hook(const char *name, void *of_libc)
{
    void *next = find_dlsym()(RTLD_NEXT, name);
    return next != NULL ? next : of_libc;
}

void *real_dlopen(const char *file, int flags)
{
    return find_dlopen()(file, flags);
}

void *real_dlsym(void *handle, const char *name)
{
    return find_dlsym()(handle, name);
}

void *real_dlopen_function(void)
{
    return (void *)find_dlopen();
}

void *real_dlsym_function(void)
{
    return (void *)find_dlsym();
}

static int take_load_counts(struct dl_phdr_info *info, size_t size, void *counts)
{
    (void)size;
    *(struct load_counts *)counts = (struct load_counts){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

/* A new library may take the place of an unloaded one, so addresses that were seen there mean
 * nothing now. */
static void forget_addresses(void)
{
    callsites_forget();
    parallel_forget_places();
    gomp_forget_callers();
}

static void notice_unloads(unsigned long long unloads)
{
    static unsigned long long seen;
    if (__atomic_exchange_n(&seen, unloads, __ATOMIC_ACQ_REL) != unloads)
        forget_addresses();
}

void look_around(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned long long seen;
    struct load_counts counts = {0, 0};
    dl_iterate_phdr(take_load_counts, &counts);
    modules_note(counts);
    notice_unloads(counts.unloads);
    if (counts.loads == __atomic_load_n(&seen, __ATOMIC_ACQUIRE))
        return;
    int program_errno = errno;
    /* If another thread looks at this moment, it does the work for both. Waiting here could
     * deadlock with the linker's lock. */
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    if (bind_mpi()) {
        patch_fortran_libraries();
        references_redirect();
    }
    __atomic_store_n(&seen, counts.loads, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    errno = program_errno;
}

/* Other constructors run before ours. AddressSanitizer asks dlsym() for the functions that it
 * replaces. Until it has them, the functions that we would call here lead nowhere. */
static bool has_started;

static __attribute__((constructor)) void look_at_start(void)
{
    look_around();
    has_started = true;
}

static void look_around_once_started(void)
{
    if (has_started)
        look_around();
}

/* What a hook does next: return `result`, or if that is NULL jump to `jump` with the caller's own
 * arguments. */
struct hook_answer {
    void *result;
    void *jump;
};

struct hook_answer mprof_before_dlopen(const char *file, int flags);
struct hook_answer mprof_before_dlsym(void *handle, const char *name, const void *caller);

struct hook_answer mprof_before_dlopen(const char *file, int flags)
{
    static void *next;
    (void)file;
    if (next == NULL)
        next = next_hook("dlopen", (void *)find_dlopen());
    look_around_once_started();
    if (flags & RTLD_DEEPBIND)
        references_expect_deep_binding();
    return (struct hook_answer){NULL, next};
}

/* As `caller` would find it. RTLD_DEFAULT may find nothing for us but something for the caller, if
 * a library was loaded for the caller alone. */
static void *find_for_caller(void *handle, const char *name, const void *caller)
{
    void *address = real_dlsym(handle, name);
    Dl_info info;
    if (address != NULL || handle != RTLD_DEFAULT || dladdr(caller, &info) == 0)
        return address;
    void *own = real_dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (own == NULL)
        return NULL;
    address = real_dlsym(own, name);
    dlclose(own);
    return address;
}

/* If a program asks for the MPI's own function and another tool defines one, too, the call goes to
 * the MPI without that tool. */
static void *wrapper_instead_of(int function, const void *address)
{
    if (is_tool_function(function, address))
        return mpi_slots[function];
    if (address != mpi_pmpi[function])
        return NULL;
    return mpi_next[function] == address ? mpi_slots[function] : entry_past_tools(function);
}

/* A function of the MPI library that is asked for by name is replaced by our wrapper. RTLD_NEXT is
 * left to the real dlsym(): only it knows the answer, and another tool uses it to find whom to call
 * next. */
struct hook_answer mprof_before_dlsym(void *handle, const char *name, const void *caller)
{
    static void *next;
    if (next == NULL)
        next = next_hook("dlsym", (void *)find_dlsym());
    struct hook_answer answer = {NULL, next};
    look_around_once_started();
    if (handle == RTLD_NEXT || name == NULL || strncmp(name, "MPI_", 4) != 0 ||
        bound_mpi()->handle == NULL || is_in_tool(caller))
        return answer;
    int function = mpi_function_named(name);
    void *address = function < 0 ? NULL : find_for_caller(handle, name, caller);
    if (address != NULL)
        answer.result = wrapper_instead_of(function, address);
    return answer;
}

/* This library's own dynamic symbols: it is the object that contains this function. */
static int take_own_symbols(struct dl_phdr_info *info, size_t size, void *own)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (uintptr_t)take_own_symbols >= begin &&
            (uintptr_t)take_own_symbols < begin + segment->p_memsz)
            return elf_symbols_of(info, own);
    }
    return 0;
}

/* The pages are read-only and, with -z separate-code, hold nothing that is executed. */
static bool protect_symbols(const struct elf_symbols *own, int protection)
{
    uintptr_t page = (uintptr_t)getauxval(AT_PAGESZ);
    uintptr_t begin = (uintptr_t)own->symbols & ~(page - 1);
    uintptr_t end = (uintptr_t)(own->symbols + elf_count_symbols(own));
    return mprotect((void *)begin, end - begin, protection) == 0;
}

void hide_missing_functions(void)
{
    struct elf_symbols own;
    if (!dl_iterate_phdr(take_own_symbols, &own) || !protect_symbols(&own, PROT_READ | PROT_WRITE))
        return; /* the program finds them, and a call of one gets an error */
    for (int function = 0; function < MPI_FUNCTION_COUNT; function++) {
        const ElfW(Sym) *found =
            mpi_next[function] != NULL ? NULL : elf_find_defined(&own, mpi_function_name(function));
        if (found == NULL)
            continue;
        ElfW(Sym) *symbol = &own.symbols[found - own.symbols];
        symbol->st_value = 0;
        symbol->st_shndx = SHN_UNDEF;
    }
    (void)protect_symbols(&own, PROT_READ);
}
