/* What the application tells mprof: mprof.h, and MPI_Pcontrol as users of IPM and mpiP know it
 * (life.h).
 *
 * Any thread may call these, also before MPI_Init and after MPI_Finalize, when they do nothing. */
#define _GNU_SOURCE
#include "process/life.h"

#include <ctype.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "record/calls/call.h"
#include "record/time/events.h"
#include "record/time/regions.h"

/* This thread as one that records; NULL before its first MPI call, and inside one. */
static struct thread_state *recording_thread(void)
{
    struct thread_state *thread = &thread_state;
    if (thread->recorder == NULL) {
        struct call call = {.word = 0}; /* of no function that begins MPI */
        if (!call_begin_slowly(&call))
            return NULL;
        thread->depth = 0; /* it attached the thread; there is no call */
    }
    return thread->depth == 0 || thread->paused ? thread : NULL;
}

/* Single calls may be kept in some regions only (MPROF_EVENTS_REGION). Meanwhile the thread is as
 * inside a call, as a paused one is: if a jump leaves here, the next one puts in order what is
 * left. */
static void look_at_window(struct thread_state *thread)
{
    const struct call none = {.word = 0};
    const bool is_outside = thread->depth == 0;
    if (thread->recorder == NULL)
        return;
    if (is_outside) {
        thread->outermost = &none;
        thread->depth = 1;
    }
    events_look(thread->recorder, clock_ticks());
    if (is_outside)
        thread->depth = 0;
}

void application_region_begin(const char *name)
{
    struct thread_state *thread = recording_thread();
    if (thread == NULL || name == NULL)
        return;
    region_begin(thread, name);
    look_at_window(thread);
}

void application_region_end(const char *name)
{
    struct thread_state *thread = recording_thread();
    if (thread == NULL || name == NULL)
        return;
    region_end(thread, name);
    look_at_window(thread);
}

void application_pause(void)
{
    struct thread_state *thread = recording_thread();
    if (thread != NULL)
        region_pause(thread);
}

void application_resume(void)
{
    struct thread_state *thread = &thread_state;
    if (thread->recorder != NULL)
        events_finish_exchange(thread->recorder); /* left by a jump in the pause */
    region_resume(thread);
}

/* 1 to 63 printable characters. The kernel reads, so that a wild pointer is no fault. */
static bool is_name(const char *candidate)
{
    char text[64];
    struct iovec local = {text, sizeof text};
    struct iovec remote = {(void *)(uintptr_t)candidate, sizeof text};
    ssize_t bytes = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (bytes < (ssize_t)sizeof text) {
        /* The text may end just before a page that cannot be read. */
        size_t in_page = 4096 - ((uintptr_t)candidate & 4095);
        remote.iov_len = in_page < sizeof text ? in_page : sizeof text;
        bytes = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    }
    for (ssize_t i = 0; i < bytes; i++) {
        if (text[i] == '\0')
            return i > 0;
        if (iscntrl((unsigned char)text[i]))
            return false;
    }
    return false;
}

/* Without a name its register holds something else, perhaps a pointer to a password, which would
 * then be in the profile. So a name is taken only if the code of the call shows that one was given
 * (given_argument.h), or if the user says that all calls give one (MPROF_PCONTROL=ipm). Ending a
 * region stores no name, so the name of an open region is enough there. */
static const char *name_of(int level, const char *candidate, bool was_given)
{
    const bool always = strcmp(options.pcontrol, "ipm") == 0;
    if (candidate == NULL || strcmp(options.pcontrol, "mpip") == 0 || !is_name(candidate))
        return NULL;
    if (was_given || always || (level == -1 && region_is_open(&thread_state, candidate)))
        return candidate;
    return NULL;
}

void application_control(int level, const char *candidate, bool was_given)
{
    const char *name = name_of(level, candidate, was_given);
    if (level == 0 && name == NULL)
        application_pause();
    else if (level == 1 && (name == NULL || thread_state.paused))
        application_resume();
    else if (level == 1)
        application_region_begin(name);
    else if (level == -1 && name != NULL)
        application_region_end(name);
}

/* The names of mprof.h. */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void mprof_library_region_begin(const char *name);
EXPORTED void mprof_library_region_end(const char *name);
EXPORTED void mprof_library_pause(void);
EXPORTED void mprof_library_resume(void);

void mprof_library_region_begin(const char *name)
{
    application_region_begin(name);
}

void mprof_library_region_end(const char *name)
{
    application_region_end(name);
}

void mprof_library_pause(void)
{
    application_pause();
}

void mprof_library_resume(void)
{
    application_resume();
}
