/* Polls: calls that a program makes again and again until something has happened, or that only look
 * something up (marked `untimed` in mprof_functions.txt). Their counts are exact. Of hot polls only
 * a part is timed (MPROF_SAMPLE=0: all).
 *
 * A thread's polls alternate between a timed stretch of POLLS_TIMED and an untimed one of random
 * length. A path is hot once POLLS_TO_BE_HOT of its polls were timed and one of them takes, with
 * the computing before it, less than POLLS_HOT_READS reads of the clock: so an untimed stretch
 * lasts no longer than some hundred microseconds. Its length is exact, because it lies between two
 * reads of the clock; polls_settle() divides it among the polls and the computing before each of
 * them, in proportion to what these took when they were timed (a ratio estimator, so nothing is
 * lost or counted twice, and rare slow polls count in proportion). How wrong this rule is is
 * measured on the timed stretches: error_squares in mprof_thread.
 *
 * Measured: an untimed poll costs about half of what a timed one does.
 *
 * Runs in the program's MPI calls, on the calling thread, on that thread's data alone. Recorders
 * that threads share, or that read counters, never remember rows, so they time every poll.
 */
#ifndef MPROF_POLLS_H
#define MPROF_POLLS_H

#include <stdint.h>

#include "base/clock.h"
#include "record/objects/communicators.h"
#include "record/paths/path_cache.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

enum {
    POLLS_TO_BE_HOT = 256,
    POLLS_HOT_READS = 128,
    POLLS_TIMED = 8,
    POLLS_UNTIMED_LEAST = 128, /* and up to twice that more */
};

/* Before the first call. With `read_ticks`, the cost of reading the clock, and `record_ticks`, of
 * recording one call. */
void polls_open(uint64_t read_ticks, uint64_t record_ticks);

/* The first poll of this path in an untimed stretch. */
void polls_remember(struct path *path);

/* Time for an untimed poll that ended requests: what one of its path takes. */
void polls_guess_time(struct call *call);

/* For mprof hang: since when does the thread poll? */
void polls_show_begin(const struct call *call);

/* Is the last call of this thread a poll? Calls that look something up, such as MPI_Wtime, do not
 * end a wait. */
bool polls_is_after_poll(void);

/* A poll of a cheap path is hot; 0 = every poll is timed. */
extern HIDDEN uint64_t polls_hot_ticks;

/* After a timed poll between the same calls as the last one of its path: `gap` is the computing
 * before it. */
static HOT void polls_learn(const struct call *call, uint64_t gap)
{
    struct path *path = call->path;
    path->timed++;
    path->timed_ticks += call->ticks;
    path->timed_gap_ticks += gap;
    if (path->timed == 4 * POLLS_TO_BE_HOT) {
        path->timed /= 2;
        path->timed_ticks /= 2;
        path->timed_gap_ticks /= 2;
    }
    path->hot = path->timed >= POLLS_TO_BE_HOT &&
                path->timed_ticks + path->timed_gap_ticks < path->timed * polls_hot_ticks;
}

/* The same of a path that was hot, where a stretch of timed polls may end. */
void polls_end_hot(const struct call *call, uint64_t gap);

/* True if this poll goes without the clock: a hot one, again between the same calls. */
static HOT bool polls_goes_untimed(const struct call *call)
{
    struct thread_state *thread = &thread_state;
    const struct path *path = call->path;
    if (thread->polls_left == 0 || !path->hot)
        return false;
    uint64_t word = call->word | (call->comm != NULL ? call->comm->word : 0);
    return path->last_word == word && path->last_size == 0 &&
           path->last_before == (thread->last_call & ~LAST_CALL_UNTIMED) &&
           (path->untimed != 0 || thread->polls_pending < POLLS_PATHS);
}

/* A request ended, so the next poll is the first one again that waits for something. */
static HOT void polls_ended_something(void)
{
    thread_state.polls_ended = true;
}

/* Before the next timed call of this thread is recorded: the time since the last one ended, which
 * is thread_state.last_stop_ticks, goes to the untimed polls in between, their computing, and, as
 * what is left, the computing before this call: that begins at thread_state.last_stop_ticks
 * afterwards. Returns thread_state.last_call without LAST_CALL_UNTIMED. */
uint64_t polls_settle(const struct call *call);

/* The rows or paths of untimed polls go away. The time of the stretch becomes computing. */
void polls_forget(void);

#endif
