/* Polls (polls.h): what is rarely done. Ticks of single polls are far below 2^53, so doubles are
 * exact enough.
 */
#include "record/time/polls.h"

#include "api/mpi_functions.h"
#include "base/float_state.h"
#include "record/time/last_calls.h"

uint64_t polls_hot_ticks;
static uint64_t read_cost, record_cost;

void polls_open(uint64_t read_ticks, uint64_t record_ticks)
{
    read_cost = read_ticks;
    record_cost = record_ticks > 2 * read_ticks ? record_ticks - 2 * read_ticks : 0;
    polls_hot_ticks = POLLS_HOT_READS * (read_ticks > 0 ? read_ticks : 1);
}

static double at_least_0(double value)
{
    return value > 0 ? value : 0;
}

/* Mean ticks of a timed poll of this path, without the cost of reading the clock. */
static double poll_ticks(const struct path *path)
{
    return at_least_0((double)path->timed_ticks / path->timed - (double)read_cost);
}

/* Mean ticks of the computing before it, without the cost of recording. */
static double gap_ticks(const struct path *path)
{
    return at_least_0((double)path->timed_gap_ticks / path->timed -
                      (double)(read_cost + record_cost));
}

void polls_remember(struct path *path)
{
    struct thread_state *thread = &thread_state;
    thread->polls[thread->polls_pending++] = path;
}

static COLD uint64_t guess_ticks(const struct path *path)
{
    return (uint64_t)poll_ticks(path) + read_cost;
}

void polls_guess_time(struct call *call)
{
    float_state state = float_hold();
    call->ticks = guess_ticks(call->path);
    float_release(state);
    call->start_ticks = clock_ticks() - call->ticks;
}

void polls_forget(void)
{
    struct thread_state *thread = &thread_state;
    for (uint32_t i = 0; i < thread->polls_pending; i++) {
        struct path *path = thread->polls[i];
        thread->recorder->bin.calls += path->untimed;
        last_calls_add_polls(thread->recorder, path->marks.call, path->untimed);
        path->untimed = 0;
    }
    thread->polls_pending = 0;
    thread->polls_left = 0;
    thread->last_call &= ~LAST_CALL_UNTIMED;
}

static void add_untimed(struct path *path, double scale, struct thread_state *thread)
{
    struct mprof_thread *live = thread->recorder->live;
    /* Adds the cost of reading the clock for each poll, because readers subtract it again. */
    uint64_t ticks =
        (uint64_t)(scale * path->untimed * poll_ticks(path)) + path->untimed * read_cost;
    path->last_entry->ticks += ticks;
    path->last_segment->ticks += (uint64_t)(scale * path->untimed * gap_ticks(path));
    thread->mpi_ticks += ticks;
    thread->recorder->bin.ticks[mpi_time_classes[(uint16_t)path->last_word]] += ticks;
    live->untimed_calls += path->untimed;
    live->untimed_poll_ticks += ticks;
}

static COLD void divide_untimed(const struct call *call, struct thread_state *thread)
{
    double expected = 0;
    for (uint32_t i = 0; i < thread->polls_pending; i++) {
        const struct path *path = thread->polls[i];
        expected += path->untimed * (poll_ticks(path) + gap_ticks(path));
    }
    double elapsed = (double)(call->start_ticks - thread->last_stop_ticks);
    double own = call->path->hot ? gap_ticks(call->path) : 0;
    double scale = elapsed / (expected + own > 0 ? expected + own : 1);
    if (!call->path->hot && scale > 1)
        scale = 1; /* the rest was before this call, of which nothing is known */
    for (uint32_t i = 0; i < thread->polls_pending; i++)
        add_untimed(thread->polls[i], scale, thread);
    thread->recorder->live->untimed_ticks += (uint64_t)(scale * expected);
    thread->last_stop_ticks = call->start_ticks - (uint64_t)at_least_0(elapsed - scale * expected);
}

uint64_t polls_settle(const struct call *call)
{
    struct thread_state *thread = &thread_state;
    if ((thread->last_call & LAST_CALL_UNTIMED) == 0)
        return thread->last_call;
    float_state state = float_hold();
    divide_untimed(call, thread);
    float_release(state);
    polls_forget();
    return thread->last_call;
}

static uint32_t next_random(struct thread_state *thread)
{
    uint32_t x = thread->polls_random != 0 ? thread->polls_random : 2463534242u;
    x ^= x << 13; /* xorshift, G. Marsaglia, 2003 */
    x ^= x >> 17;
    x ^= x << 5;
    return thread->polls_random = x;
}

/* The error of the rule, had it been used on the polls that were just timed. */
static COLD void note_error(struct thread_state *thread, const struct path *path, uint64_t ticks,
                            uint64_t gap)
{
    double poll = poll_ticks(path);
    double cycle = poll + gap_ticks(path);
    double took = at_least_0((double)ticks - (double)read_cost);
    double all = took + at_least_0((double)gap - (double)(read_cost + record_cost));
    thread->polls_timed_ticks += all;
    thread->polls_error += took - (cycle > 0 ? all * poll / cycle : 0);
}

static COLD void end_stretch(struct thread_state *thread)
{
    struct mprof_thread *live = thread->recorder->live;
    live->timed_poll_ticks += (uint64_t)thread->polls_timed_ticks;
    live->poll_error_squares += (uint64_t)(thread->polls_error * thread->polls_error);
    thread->polls_timed_ticks = thread->polls_error = 0;
    thread->polls_to_time = POLLS_TIMED;
    thread->polls_left = POLLS_UNTIMED_LEAST + next_random(thread) % (2 * POLLS_UNTIMED_LEAST);
}

bool polls_is_after_poll(void)
{
    const uint32_t last_function = (uint32_t)((thread_state.last_call & ~LAST_CALL_UNTIMED) >> 32);
    return last_function != 0 && (mpi_function_marks[last_function - 1] & MPI_IS_UNTIMED) != 0;
}

void polls_show_begin(const struct call *call)
{
    call->recorder->live->polls_ticks = call->start_ticks;
    thread_state.polls_ended = false;
}

void polls_end_hot(const struct call *call, uint64_t gap)
{
    struct thread_state *thread = &thread_state;
    float_state state = float_hold();
    note_error(thread, call->path, call->ticks, gap);
    polls_learn(call, gap);
    if (thread->polls_left == 0 && thread->polls_to_time-- == 0)
        end_stretch(thread);
    float_release(state);
}
