/* Watching the dynamic linker (loader.h): its hooks, when to look, what dlsym() answers, and
 * references that pass our trampolines by. */
#define _GNU_SOURCE
#include "interpose/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own_file.h"
#include "interpose/bind_mpi.h"
#include "interpose/elf_symbols.h"
#include "interpose/fortran_got.h"
#include "interpose/gpu_driver.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "interpose/second_mpi.h"
#include "process/life.h"
#include "record/objects/parallel_regions.h"
#include "record/paths/callsites.h"
#include "record/paths/modules.h"
#include "record/paths/path_cache.h"
#include "record/paths/scripts.h"
#include "record/state/record.h"
#include "record/state/recorder.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

/* ---- hooks ----------------------------------------------------------------------------------- */

/* What libmprof.so exports in place of functions of libc: those of the dynamic linker
 * that need no assembly, _exit(), abort(), a failed assert() and prctl(). */

typedef int dladdr_type(const void *address, Dl_info *info);
typedef int dladdr1_type(const void *address, Dl_info *info, void **extra, int flags);

/* Of a trampoline or a GPU wrapper, the function that is in its place without mprof. */
static const void *without_mprof(const void *address)
{
    const int function = mpi_trampoline_at(address);
    if (function < 0 || !bind_mpi())
        return gpu_without_wrapper(address);
    const void *native = native_definition(function);
    return native != NULL ? native : address;
}

static int file_of(const void *address, Dl_info *info)
{
    static dladdr_type *next;
    if (next == NULL)
        next = (dladdr_type *)next_hook("dladdr");
    return next(without_mprof(address), info);
}

static int file_and_more_of(const void *address, Dl_info *info, void **extra, int flags)
{
    static dladdr1_type *next;
    if (next == NULL)
        next = (dladdr1_type *)next_hook("dladdr1");
    return next(without_mprof(address), info, extra, flags);
}

__attribute__((visibility("default"), alias("file_of"))) dladdr_type dladdr;
__attribute__((visibility("default"), alias("file_and_more_of"))) dladdr1_type dladdr1;

/* Other names of what is exported. The address of an exported function can be the program's own
 * jump to it. */
extern const char mprof_hook_dlopen[] HIDDEN;
extern const char mprof_hook_dlsym[] HIDDEN;

void *hook_named(const char *name)
{
    const struct {
        const char *name;
        void *function;
    } hooks[] = {{"dlopen", (void *)(uintptr_t)mprof_hook_dlopen},
                 {"dlsym", (void *)(uintptr_t)mprof_hook_dlsym},
                 {"dladdr", (void *)file_of},
                 {"dladdr1", (void *)file_and_more_of}};
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        if (strcmp(hooks[i].name, name) == 0)
            return hooks[i].function;
    return NULL;
}

/* Of the next ones: any thread; a child of vfork() comes here with the memory of its parent. */

/* ---- an error for which the MPI ends the job ------------------------------------------------- */

/* Open MPI leaves the process by _exit() then, in the middle of the call that failed. Which call
 * that was is noted. Where it is not the MPI that calls, or no call is in progress, nothing is
 * noted. Whoever else hooks _exit(), such as AddressSanitizer, gets it next. */

typedef void exit_type(int status);
typedef void abort_type(void);
typedef void assert_type(const char *claim, const char *file, unsigned line, const char *function);
static exit_type *next_exit; /* these are NULL before the constructors */
static abort_type *next_abort;
static assert_type *next_assert;

static __attribute__((constructor)) void find_next_ends(void)
{
    next_exit = (exit_type *)next_hook("_exit");
    next_abort = (abort_type *)next_hook("abort");
    next_assert = (assert_type *)next_hook("__assert_fail");
}

static void note_fatal_error(int status, uintptr_t caller)
{
    const struct recorder *recorder = thread_state.recorder;
    const bool is_in_call =
        recorder != NULL && !recorder->shared && !record.stopped && recorder->live->in_call != 0;
    if (is_in_call && module_runs_mpi(caller))
        life_end_in_call(status);
}

__attribute__((visibility("default"), noreturn)) void _exit(int status)
{
    note_fatal_error(status, (uintptr_t)__builtin_return_address(0));
    if (next_exit != NULL)
        next_exit(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

/* ---- a program that gives up ------------------------------------------------------------------
 */

/* abort(), and assert() where it fails, which calls glibc's own abort(): where that was is noted,
 * and nothing else, since a handler of SIGABRT may leave by a jump. */

static _Noreturn void die_of_abort(void)
{
    for (;;) {
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGABRT);
        syscall(SYS_exit_group, 127);
    }
}

__attribute__((visibility("default"), noreturn)) void abort(void)
{
    life_gives_up(__builtin_return_address(0), path_wrapper_frame());
    if (next_abort != NULL)
        next_abort();
    die_of_abort();
}

__attribute__((visibility("default"), noreturn)) void
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's name */
__assert_fail(const char *claim, const char *file, unsigned line, const char *function)
{
    life_gives_up(__builtin_return_address(0), path_wrapper_frame());
    if (next_assert != NULL)
        next_assert(claim, file, line, function);
    die_of_abort();
}

/* ---- a filter of system calls ---------------------------------------------------------------- */

/* The program forbids itself system calls (seccomp), and may let the kernel end it for them. Nobody
 * can ask for that without such a call. A filter is installed by prctl(), or prepared
 * (PR_SET_NO_NEW_PRIVS, without which only root may install one). Afterwards libmprof no longer
 * opens anything (base/own_file.h). */

__attribute__((visibility("default"))) int prctl(int option, ...)
{
    enum { WORDS = 4 };
    unsigned long words[WORDS];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < WORDS; i++) /* as glibc does it, however many there are */
        words[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
        system_close();
    return (int)syscall(SYS_prctl, (long)option, words[0], words[1], words[2], words[3]);
}

/* ---- references ------------------------------------------------------------------------------ */

/* References to MPI_X that do not reach our trampolines by themselves. These are those of the
 * program and its libraries if another tool is preloaded in front of libmprof.so, and those of a
 * library that was opened with RTLD_DEEPBIND, which searches its own dependencies first.
 *
 * A reference is redirected if it leads to the MPI's own function or to another tool's, which the
 * wrapper calls (bind_mpi.h); or if it is not resolved yet and its object is linked with the
 * MPI. One that leads elsewhere stays: some libraries bring functions of these names that are not
 * MPI's, which is what RTLD_DEEPBIND is for.
 */

static bool expects_deep_binding;

/* A library is being opened with RTLD_DEEPBIND. */
static void references_expect_deep_binding(void)
{
    __atomic_store_n(&expects_deep_binding, true, __ATOMIC_RELEASE);
}

static bool is_unresolved(const struct got_reference *reference)
{
    return reference->is_call && elf_contains(reference->info, reference->target);
}

/* Such a library also finds libc's own dlopen(), dlsym() and dladdr() first. */
static void *hook_for(const struct got_reference *reference, bool is_linked_with_mpi)
{
    void *hook = hook_named(reference->name);
    if (hook == NULL)
        return NULL;
    bool goes_past = reference->target == libc_function(reference->name) ||
                     (is_linked_with_mpi && is_unresolved(reference));
    return goes_past ? hook : NULL;
}

static void *trampoline_for(const struct got_reference *reference, void *context)
{
    const bool *is_linked_with_mpi = context;
    if (strncmp(reference->name, "MPI_", 4) != 0)
        return hook_for(reference, *is_linked_with_mpi);
    int function = mpi_function_named(reference->name);
    if (function < 0 || mpi_pmpi[function] == NULL || program_has_own(function) ||
        elf_find_defined(reference->object, reference->name) != NULL)
        return NULL;
    bool is_ours = reference->target == mpi_pmpi[function] ||
                   is_tool_function(function, reference->target) ||
                   (*is_linked_with_mpi && is_unresolved(reference));
    return is_ours ? mpi_trampoline(function) : NULL;
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    struct elf_symbols object;
    if (strcmp(info->dlpi_name, bound_mpi()->path) == 0 || is_tool_at(info->dlpi_addr) ||
        !elf_symbols_of(info, &object))
        return 0;
    bool is_linked_with_mpi = needs_mpi(&object, info->dlpi_name);
    got_redirect(info, &object, trampoline_for, &is_linked_with_mpi);
    return 0;
}

/* Those of all loaded objects, if there is a reason to; may be called again. */
static void references_redirect(void)
{
    if (is_tool_in_front() || __atomic_load_n(&expects_deep_binding, __ATOMIC_ACQUIRE))
        dl_iterate_phdr(redirect_object, NULL);
}

/* ---- when to look ---------------------------------------------------------------------------- */

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
    second_mpi_forget();
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
    scripts_look();
    if (counts.loads == __atomic_load_n(&seen, __ATOMIC_ACQUIRE))
        return;
    int program_errno = errno;
    /* If another thread looks at this moment, it does the work for both. Waiting here could
     * deadlock with the linker's lock. */
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    gpu_redirect_references();
    if (bind_mpi()) {
        second_mpi_look();
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
    life_at_start();
}

/* The same for a hook. False = our constructor has not run, and nothing of libc may be called. */
static bool look_around_once_started(void)
{
    if (has_started)
        look_around();
    return has_started;
}

struct hook_answer mprof_before_dlopen(const char *file, int flags);

struct hook_answer mprof_before_dlopen(const char *file, int flags)
{
    static void *next;
    (void)file;
    if (next == NULL)
        next = next_hook("dlopen");
    (void)look_around_once_started();
    if (flags & RTLD_DEEPBIND)
        references_expect_deep_binding();
    return (struct hook_answer){NULL, next};
}

/* ---- what dlsym() answers -------------------------------------------------------------------- */

/* What the program learns when it asks dlsym() for a function of MPI: the address of our
 * trampoline, as `&MPI_X` is. All answers are equal, as they are without mprof. Called by the hook
 * (loader.h).
 *
 * Another tool gets what it would get without mprof: it asks whom to call next. From any thread.
 */

/* As `caller` would find it. RTLD_DEFAULT may find nothing for us but something for the caller, if
 * a library was loaded for the caller alone. */
static void *find_for_caller(void *handle, const char *name, const void *caller)
{
    void *address = real_dlsym(handle, name);
    Dl_info info;
    if (address != NULL || handle != RTLD_DEFAULT || dladdr(caller, &info) == 0)
        return address;
    return find_from(info.dli_fname, name);
}

static void *definition_in(const struct link_map *object, const char *name)
{
    struct elf_symbols symbols;
    if (!elf_symbols_at(object->l_addr, object->l_ld, &symbols))
        return NULL;
    const ElfW(Sym) *symbol = elf_find_defined(&symbols, name);
    return symbol != NULL ? (void *)(object->l_addr + symbol->st_value) : NULL;
}

/* Of those that were loaded with the program. They are never unloaded. */
static void *find_behind(const struct link_map *object, const char *name)
{
    void *address = NULL;
    while (address == NULL && (object = object->l_next) != NULL && was_loaded_at_start(object))
        if (object->l_ld != _DYNAMIC)
            address = definition_in(object, name);
    return address;
}

/* Of a library that was opened for all. */
static void *find_opened_later(const char *name)
{
    void *address = real_dlsym(RTLD_NEXT, name);
    return address != NULL && !was_loaded_at_start(link_map_of(address)) ? address : NULL;
}

/* What dlsym(RTLD_NEXT) finds for `caller`; NULL if the caller is a tool that also defines the
 * function itself. Objects that were loaded with the program are asked in the order of their list.
 * A library that was opened later asks those that it is linked with. */
static void *find_next(const char *name, const void *caller)
{
    const struct link_map *object = link_map_of(caller);
    if (object == NULL || definition_in(object, name) != NULL)
        return NULL;
    if (!was_loaded_at_start(object))
        return find_from(object->l_name, name);
    void *address = find_behind(object, name);
    return address != NULL ? address : find_opened_later(name);
}

/* If a program asks for the MPI's own function and another tool also defines one, the call goes to
 * the MPI without that tool. */
static void *trampoline_instead_of(int function, const void *address)
{
    if (is_tool_function(function, address))
        return mpi_trampoline(function);
    if (address != mpi_pmpi[function])
        return NULL;
    return mpi_next[function] == address ? mpi_trampoline(function) : entry_past_tools(function);
}

static void *answer_for_mpi(void *handle, const char *name, const void *caller)
{
    int function = bound_mpi()->handle == NULL ? -1 : mpi_function_named(name);
    if (function < 0 || is_in_tool(caller))
        return NULL;
    void *address =
        handle == RTLD_NEXT ? find_next(name, caller) : find_for_caller(handle, name, caller);
    return address != NULL ? trampoline_instead_of(function, address) : NULL;
}

/* Code that asks libc for its dlsym() gets ours, which is also `&dlsym`. Not if another library
 * hooks the function: it might ask for what it calls next. */
static void *answer_for_hook(void *handle, const char *name, const void *caller)
{
    void *hook = handle == RTLD_NEXT ? NULL : hook_named(name);
    if (hook == NULL || is_in_tool(caller))
        return NULL;
    void *of_libc = libc_function(name);
    return next_hook(name) == of_libc && real_dlsym(handle, name) == of_libc ? hook : NULL;
}

/* A GPU's driver. A library that interposes its functions and asks for the next one gets that. */
static void *answer_for_gpu(void *handle, const char *name, const void *caller)
{
    void *address =
        handle == RTLD_NEXT ? find_next(name, caller) : find_for_caller(handle, name, caller);
    return address != NULL ? gpu_wrapper_of(name, address, caller) : NULL;
}

struct hook_answer mprof_before_dlsym(void *handle, const char *name, const void *caller);
struct hook_answer mprof_before_dlsym(void *handle, const char *name, const void *caller)
{
    static void *next;
    if (next == NULL)
        next = next_hook("dlsym");
    struct hook_answer answer = {NULL, next};
    const bool may_look = look_around_once_started();
    if (name != NULL && strncmp(name, "MPI_", 4) == 0) {
        if (!may_look)
            look_around(); /* AddressSanitizer does not ask for these */
        answer.result = answer_for_mpi(handle, name, caller);
    } else if (may_look && name != NULL && strncmp(name, "dl", 2) == 0) {
        answer.result = answer_for_hook(handle, name, caller);
    } else if (may_look && name != NULL && is_gpu_name(name)) {
        answer.result = answer_for_gpu(handle, name, caller);
    }
    return answer;
}
