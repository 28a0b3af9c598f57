/* Looking into what calls carry, when an option asks for that. Compiled inside wrappers.c.
 *
 * Each function of api/watched_functions.txt has a second wrapper, watch_MPI_X: the ordinary one
 * with the calls of the watchers in it. It is compiled beside the ordinary one and takes its place
 * in mpi_slots[] when the MPI is found and `watching` is set, or later where a GPU is used; so
 * calls cost nothing more where it is not. What a watcher does is in a row of `watchers`; it may
 * look at the facts, at the call and at the buffers, and must leave everything as it is.
 *
 *     before   just before the call; the MPI has not accepted the arguments yet
 *     after    after it, recorded, not yet ended: call->path is the line, call->comm is known.
 *              `outcome` is what the MPI returned
 *
 * Both run on the program's thread inside its call, outermost calls only: those that the MPI or its
 * Fortran library makes for itself do not come here. They do not run while recording is paused.
 */
#ifndef MPROF_WATCH_H
#define MPROF_WATCH_H

#include "record/calls/attach.h"
#include "wrap/gpu_watch.h"
#include "wrap/lint_watch.h"
#include "wrap/results_watch.h"

struct watcher {
    bool (*is_wanted)(void);
    void (*before)(struct watched *watched, struct call *call);
    void (*after)(struct watched *watched, struct call *call, int outcome);
};

static const struct watcher watchers[] = {
    {lint_is_wanted, lint_before, lint_after},
    {results_are_on, results_before, results_after},
    {gpu_is_watched, gpu_before, gpu_after},
};
enum { WATCHERS = sizeof watchers / sizeof watchers[0] };

/* What watchers take is mprof's own, neither computing nor the MPI's. */
static uint64_t bill_watching(uint64_t begin_ticks)
{
    const uint64_t ticks = clock_ticks() - begin_ticks;
    __atomic_fetch_add(&record.watch_ticks, ticks, __ATOMIC_RELAXED);
    return ticks;
}

/* What looks into data takes long, and is billed. That of buffers alone takes less than the
 * billing.
 */
static bool is_billed(void)
{
    return lint_is_wanted() || results_are_on();
}

/* The computing before the call ended when the watchers began. */
static COLD void watch_before(struct watched *watched, struct call *call)
{
    if (!is_billed()) {
        if (gpu_is_watched())
            gpu_before(watched, call);
        return;
    }
    const uint64_t begin = clock_ticks();
    for (size_t i = 0; i < WATCHERS; i++)
        if (watchers[i].is_wanted())
            watchers[i].before(watched, call);
    thread_was_not_computing(bill_watching(begin));
}

static COLD void watch_after(struct watched *watched, struct call *call, int outcome)
{
    if (!is_billed()) {
        if (gpu_is_watched())
            gpu_after(watched, call, outcome);
        return;
    }
    const uint64_t begin = clock_ticks();
    for (size_t i = 0; i < WATCHERS; i++)
        if (watchers[i].is_wanted())
            watchers[i].after(watched, call, outcome);
    watched->own_ticks = bill_watching(begin);
}

/* After the end of the call: the next computing begins when the watchers are done. */
static void watch_end(const struct watched *watched)
{
    if (watched->own_ticks != 0)
        thread_was_not_computing(watched->own_ticks);
}

#endif
