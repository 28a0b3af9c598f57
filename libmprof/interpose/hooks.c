/* What libmprof.so exports in place of functions of libc: those of the dynamic linker (hooks.h)
 * that need no assembly, _exit(), abort(), a failed assert() and prctl(). */
#define _GNU_SOURCE
#include "interpose/hooks.h"

#include <dlfcn.h>
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
#include "interpose/gpu_driver.h"
#include "interpose/linker.h"
#include "interpose/mpi_binding.h"
#include "process/life.h"
#include "record/paths/modules.h"
#include "record/paths/path_cache.h"
#include "record/state/record.h"
#include "record/state/recorder.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

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
 * (PR_SET_NO_NEW_PRIVS, without which only root may install one). Afterwards libmprof opens nothing
 * any more (base/own_file.h). */

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
