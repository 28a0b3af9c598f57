/* Wrappers that no template fits: those that start and end MPI. Compiled inside wrappers.c, after
 * the generated ones. */
#ifndef MPROF_BY_HAND_H
#define MPROF_BY_HAND_H

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "interpose/fortran_got.h"
#include "interpose/given_argument.h"
#include "process/life.h"
#include "wrap/wrap.h"

enum { CLEAN_STACK_BYTES = 8192 };

static uint32_t thread_level_of(int provided)
{
    if (provided >= MPI_THREAD_MULTIPLE)
        return 3;
    if (provided >= MPI_THREAD_SERIALIZED)
        return 2;
    return provided >= MPI_THREAD_FUNNELED ? 1 : 0;
}

static int init_unseen(int result)
{
    if (result == 0)
        bystander_after_init();
    return result;
}

WRAPPER int wrap_MPI_Init(int *argc, char ***argv)
{
    struct call call;
    if (!call_begin(&call, FN_MPI_Init)) {
        bystander_before_init();
        return init_unseen(NEXT(MPI_Init)(argc, argv));
    }
    life_before_init();
    call_start(&call, FN_MPI_Init);
    const int result = NEXT(MPI_Init)(argc, argv);
    call_stop(&call);
    if (result == 0)
        life_after_init(thread_level_of(MPI_THREAD_SINGLE));
    call_end_after_own_work(&call);
    return result;
}

WRAPPER int wrap_MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    struct call call;
    if (!call_begin(&call, FN_MPI_Init_thread)) {
        bystander_before_init();
        return init_unseen(NEXT(MPI_Init_thread)(argc, argv, required, provided));
    }
    life_before_init();
    call_start(&call, FN_MPI_Init_thread);
    const int result = NEXT(MPI_Init_thread)(argc, argv, required, provided);
    call_stop(&call);
    if (result == 0)
        life_after_init(thread_level_of(provided != NULL ? *provided : required));
    call_end_after_own_work(&call);
    return result;
}

static void finalize_end(struct call *call, uint64_t own_ticks, bool succeeded)
{
    call_stop(call);
    life_time_is_over();
    call->ticks -= own_ticks;
    if (succeeded)
        collective(call, MPROF_NO_PEER);
    call_end_after_own_work(call);
}

WRAPPER int wrap_MPI_Finalize(void)
{
    struct call call;
    if (!call_begin(&call, FN_MPI_Finalize)) {
        bystander_before_finalize();
        return NEXT(MPI_Finalize)();
    }
    call.comm = comm_find(HANDLE_COMM, HANDLE(MPI_COMM_WORLD));
    call_start(&call, FN_MPI_Finalize);
    uint64_t own_ticks = life_before_finalize();
    const bool ends_before = life_ends_with_others();
    if (ends_before) {
        finalize_end(&call, own_ticks, true);
        life_end_with_others();
    }
    own_ticks += life_leave_others();
    const int result = NEXT(MPI_Finalize)();
    if (!ends_before)
        finalize_end(&call, own_ticks, result == 0);
    life_after_finalize(result);
    return result;
}

/* Sets to 0 what libmprof's own functions left below the caller's frame. MPICH 5.0.2 reads the
 * session's thread level from there if the program names none. Opening one is usually the program's
 * first MPI call, where the stack is still as the kernel gave it. */
static __attribute__((noinline)) void clean_stack(void)
{
    char below[CLEAN_STACK_BYTES];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory"); /* or the compiler would leave it out */
}

WRAPPER int wrap_MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    struct call call;
    if (!call_begin(&call, FN_MPI_Session_init)) {
        life_session_unseen();
        return NEXT(MPI_Session_init)(info, errhandler, session);
    }
    life_before_session_init();
    call_start(&call, FN_MPI_Session_init);
    clean_stack();
    const int result = NEXT(MPI_Session_init)(info, errhandler, session);
    call_stop(&call);
    if (result == 0)
        life_after_session_init(HANDLE(*session));
    call_end_after_own_work(&call);
    return result;
}

WRAPPER int wrap_MPI_Session_finalize(MPI_Session *session)
{
    struct call call;
    if (!call_begin(&call, FN_MPI_Session_finalize))
        return NEXT(MPI_Session_finalize)(session);
    const uint64_t handle = session != NULL ? HANDLE(*session) : 0;
    const bool was_open = life_before_session_finalize(handle);
    call_start(&call, FN_MPI_Session_finalize);
    const int result = NEXT(MPI_Session_finalize)(session);
    call_stop(&call);
    if (was_open) /* a session that MPI refused to close is as it was */
        life_after_session_finalize(handle, HANDLE(*session) != handle);
    call_end(&call);
    return result;
}

WRAPPER int wrap_MPI_Abort(MPI_Comm comm, int errorcode)
{
    struct call call;
    if (!call_begin(&call, FN_MPI_Abort))
        return NEXT(MPI_Abort)(comm, errorcode);
    life_before_abort(errorcode);
    struct entry_key key = call_key(&call);
    record_call(call.recorder, &key, 0); /* it does not come back */
    call_start(&call, FN_MPI_Abort);
    const int result = NEXT(MPI_Abort)(comm, errorcode);
    call_stop(&call);
    thread_state.depth = 0;
    return result;
}

/* What the program's calls are bound to; where they are bound otherwise (libmprof.a) it is not
 * there.
 */
extern const char mprof_call_MPI_Pcontrol[] __attribute__((weak, visibility("hidden")));

/* Arguments after `level` are the profiler's business, not the library's: its own MPI_Pcontrol does
 * nothing. Fortran passes none. The call itself is recorded in the region that it leaves behind. */
WRAPPER int wrap_MPI_Pcontrol(const int level, ...)
{
    va_list arguments;
    va_start(arguments, level);
    const char *candidate = va_arg(arguments, const char *);
    const void *second = va_arg(arguments, const void *); /* for another tool, if any */
    const void *third = va_arg(arguments, const void *);
    va_end(arguments);
    const char *const first = candidate;
    if (is_fortran_call(__builtin_return_address(0)))
        candidate = NULL;
    const int program_errno = errno;
    if (thread_state.depth == 0 || thread_state.paused)
        application_control(level, candidate,
                            second_argument_was_given(__builtin_return_address(0), candidate,
                                                      mprof_call_MPI_Pcontrol));
    errno = program_errno;
    struct call call;
    if (!call_begin(&call, FN_MPI_Pcontrol))
        return NEXT(MPI_Pcontrol)(level, first, second, third);
    call_start(&call, FN_MPI_Pcontrol);
    const int result = NEXT(MPI_Pcontrol)(level, first, second, third);
    call_stop(&call);
    call_end(&call);
    return result;
}

#endif
