/* An error for which the MPI ends the job: Open MPI leaves the process by _exit() then, in the
 * middle of the call that failed. So libmprof stands before _exit(), and notes which call that was.
 * Where it is not the MPI that calls, or no call is in progress, nothing is noted. Whoever else
 * hooks _exit(), such as AddressSanitizer, gets it next. Any thread; a child of vfork() comes here
 * with the memory of its parent. */
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/loader.h"
#include "process/life.h"
#include "record/paths/modules.h"
#include "record/state/record.h"
#include "record/state/recorder.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* functions are kept as void *, as dlsym() gives them \
                                             */

typedef void exit_type(int status);
static exit_type *next_exit; /* NULL before the constructors */

static __attribute__((constructor)) void find_next_exit(void)
{
    next_exit = (exit_type *)next_hook("_exit");
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
