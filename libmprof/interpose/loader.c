/* Watching the dynamic linker (loader.h): when to look, the hooks' C part, and hiding what an MPI
 * lacks. */
#define _GNU_SOURCE
#include "loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi_binding.h"

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

void *real_dlopen(const char *file, int flags)
{
    return find_dlopen()(file, flags);
}

void *real_dlsym(void *handle, const char *name)
{
    return find_dlsym()(handle, name);
}

static int take_load_count(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

void look_around(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned long long seen;
    unsigned long long loads = 0;
    dl_iterate_phdr(take_load_count, &loads);
    if (loads == __atomic_load_n(&seen, __ATOMIC_ACQUIRE))
        return;
    int program_errno = errno;
    /* Another thread that looks at this moment does it for both; waiting here could deadlock with
     * the linker's lock. */
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    if (bind_mpi())
        patch_fortran_libraries();
    __atomic_store_n(&seen, loads, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    errno = program_errno;
}

static __attribute__((constructor)) void look_at_start(void)
{
    look_around();
}

/* What a hook does next: return `result`, or if that is NULL jump to `jump` with the caller's own
 * arguments. */
struct hook_answer {
    void *result;
    void *jump;
};

struct hook_answer mprof_before_dlopen(const char *file, int flags);
struct hook_answer mprof_before_dlsym(void *handle, const char *name);

struct hook_answer mprof_before_dlopen(const char *file, int flags)
{
    (void)file;
    (void)flags;
    look_around();
    return (struct hook_answer){NULL, (void *)find_dlopen()};
}

/* A function of the MPI library, asked for by name, is replaced by our wrapper. RTLD_NEXT and
 * RTLD_DEFAULT mean something else for each caller: they are left to the real dlsym(). */
struct hook_answer mprof_before_dlsym(void *handle, const char *name)
{
    struct hook_answer answer = {NULL, (void *)find_dlsym()};
    look_around();
    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || name == NULL ||
        strncmp(name, "MPI_", 4) != 0 || bound_mpi()->handle == NULL)
        return answer;
    void *address = real_dlsym(handle, name);
    int function = address == NULL ? -1 : mpi_function_named(name);
    if (function >= 0 && address == mpi_pmpi[function])
        answer.result = mpi_slots[function];
    return answer;
}

/* Number of entries of our .dynsym: the highest index that the GNU hash table reaches, plus one. */
static uint32_t symbol_count(const uint32_t *gnu_hash)
{
    uint32_t bucket_count = gnu_hash[0];
    uint32_t first_symbol = gnu_hash[1];
    uint32_t bloom_words = gnu_hash[2] * (uint32_t)(sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *buckets = gnu_hash + 4 + bloom_words;
    const uint32_t *chain = buckets + bucket_count;
    uint32_t last = 0;
    for (uint32_t i = 0; i < bucket_count; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < first_symbol)
        return first_symbol;
    while ((chain[last - first_symbol] & 1u) == 0)
        last++;
    return last + 1;
}

/* This library's own dynamic symbols. */
struct own_symbols {
    ElfW(Sym) * symbols;
    const char *names;
    uint32_t count;
};

static bool find_own_symbols(struct own_symbols *own)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1((void *)find_own_symbols, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        map == NULL)
        return false;
    const uint32_t *gnu_hash = NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            own->symbols = (ElfW(Sym) *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_STRTAB)
            own->names = (const char *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_GNU_HASH)
            gnu_hash = (const uint32_t *)entry->d_un.d_ptr;
    }
    own->count = gnu_hash == NULL ? 0 : symbol_count(gnu_hash);
    return own->symbols != NULL && own->names != NULL && own->count > 0;
}

static bool is_missing(const char *name)
{
    int function = strncmp(name, "MPI_", 4) == 0 ? mpi_function_named(name) : -1;
    return function >= 0 && mpi_pmpi[function] == NULL;
}

/* The pages are read-only and, with -z separate-code, hold nothing that is executed. */
static void protect_symbols(const struct own_symbols *own, int protection)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)own->symbols & ~(page - 1);
    uintptr_t end = (uintptr_t)(own->symbols + own->count);
    mprotect((void *)begin, end - begin, protection);
}

void hide_missing_functions(void)
{
    struct own_symbols own = {NULL, NULL, 0};
    if (!find_own_symbols(&own))
        return;
    protect_symbols(&own, PROT_READ | PROT_WRITE);
    for (uint32_t i = 0; i < own.count; i++) {
        ElfW(Sym) *symbol = &own.symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && is_missing(own.names + symbol->st_name)) {
            symbol->st_value = 0;
            symbol->st_shndx = SHN_UNDEF;
        }
    }
    protect_symbols(&own, PROT_READ);
}
