/* An MPI call from its beginning to its record (call.h): the hot path in one place.
 *
 * What an ordinary call does, in this order: call_begin() (call.h) and call_find_path();
 * call_start() and call_stop() (call.h) around MPI; call_end(), add_to_rows() and leave(). A
 * comment says where a rare way leaves it; the rare ways are below.
 *
 * Most lines of a program make the same call with the same size after the same other call, again
 * and again. Then the path knows the two rows that the call adds to, so nothing is hashed or
 * searched. call_end() then calls no other function, so it saves no registers: 45 instructions
 * instead of 150.
 */
#include "record/calls/call.h"

#include "api/mpi_functions.h"
#include "base/lock.h"
#include "record/calls/attach.h"
#include "record/cpu/samples.h"
#include "record/paths/call_stack.h"
#include "record/paths/callsites.h"
#include "record/state/record.h"
#include "record/tables/entry_table.h"
#include "record/tables/pair_tables.h"
#include "record/time/events.h"
#include "record/time/last_calls.h"
#include "record/time/polls.h"
#include "record/time/time_bins.h"

/* ---- the usual way --------------------------------------------------------------------------- */

/* Rare ways out of the usual one, below. */
static COLD struct path *find_new_path(const void *return_address, const void *cfa);
static COLD struct path *find_path_further(const void *return_address, const void *cfa,
                                           struct path_cache *cache);
static COLD void look_around(const struct call *call, struct thread_state *thread,
                             const struct call_marks *marks);
static __attribute__((noinline)) void end_on_other_rows(struct call *call, uint64_t word);

struct path *call_find_path(const void *return_address, const void *cfa)
{
    struct path_cache *cache = thread_state.paths;
    /* Rarely: all paths were forgotten, or the thread has none yet. */
    if (__builtin_expect(cache->generation != __atomic_load_n(&path_generation, __ATOMIC_RELAXED),
                         0))
        return find_new_path(return_address, cfa);
    struct path *path = *path_head(cache, return_address, cfa);
    /* Rarely: a new path, one of several with this hash, or one through a script. */
    if (__builtin_expect(path == NULL || !path_is(path, return_address, cfa), 0))
        return find_path_further(return_address, cfa, cache);
    /* Rarely: the path is checked. */
    return __builtin_expect(--cache->calls_to_check == 0, 0)
               ? callsite_check(return_address, cfa, cache, path)
               : path;
}

/* What the next call of this thread needs to know of this call, and what tells when it was. */
static HOT void leave(const struct call *call, struct thread_state *thread,
                      const struct call_marks *marks, bool is_shared)
{
    struct recorder *recorder = call->recorder;
    /* Read before the stores, so that the compiler need not read them again. */
    const uint64_t ticks = call->ticks;
    const uint64_t size = call->size;
    const uint64_t stop_ticks = call->start_ticks + ticks;
    if (!is_shared)
        last_calls_add(recorder, call, marks);
    thread->last_call = marks->call;
    thread->last_stop_ticks = stop_ticks;
    thread->mpi_ticks += ticks;
    thread->depth = 0;
    /* Rarely: a time bin ends, or the CPU is looked at. */
    if (__builtin_expect(stop_ticks >= thread->cpu.deadline, 0))
        look_around(call, thread, marks); /* at the very end, so that no register is saved for it */
    else if (!is_shared)
        bin_part_add(&recorder->bin, ticks, size, marks);
}

static HOT void add_to_rows(const struct call *call, struct thread_state *thread)
{
    const struct path *path = call->path;
    entry_add(path->last_entry, call->size, call->ticks);
    path->last_segment->count++;
    path->last_segment->ticks += call->start_ticks - thread->last_stop_ticks;
    leave(call, thread, &path->marks, false); /* a shared recorder remembers no rows */
}

void call_end(struct call *call)
{
    struct thread_state *thread = &thread_state;
    const struct path *path = call->path;
    uint64_t word = call->word | (call->comm != NULL ? call->comm->word : 0);
    /* Rarely: another size, another call before, or a new row. The entry's key holds the function,
     * so the segment is also that of this function. */
    if (__builtin_expect(path->last_word != word || path->last_size != call->size ||
                             path->last_before != thread->last_call,
                         0))
        end_on_other_rows(call, word);
    else
        add_to_rows(call, thread);
}

/* ---- rarely: a first call, a nested one, one after a call that was left, a new path ---------- */

static COLD void end_slowly(struct call *call);

/* Are both on the thread's own stack? Another stack may be unmapped by now. */
static bool on_own_stack(const void *here, const void *there)
{
    uintptr_t end = own_stack_end((uintptr_t)here);
    return end != 0 && end == own_stack_end((uintptr_t)there);
}

/* Is the outer call's memory still intact? */
static bool is_intact(const struct call *begun, const struct mprof_thread *live)
{
    return begun->recorder == thread_state.recorder && call_function(begun) + 1u == live->in_call &&
           begun->start_ticks == live->ticks;
}

/* Before or after MPI's part of the outer call nothing in the live file tells. */
static bool is_intact_around_mpi(const struct call *begun)
{
    return begun->recorder == thread_state.recorder && callsite_is_current(begun->path, begun);
}

bool call_is_nested(const struct call *call)
{
    const struct thread_state *thread = &thread_state;
    if (thread->paused)
        return true;
    if ((const void *)call >= thread->outermost)
        return false;
    const struct recorder *recorder = thread->recorder;
    if (recorder == NULL || recorder->shared || !on_own_stack(call, thread->outermost))
        return true;
    return recorder->live->in_call != 0 ? is_intact(thread->outermost, recorder->live)
                                        : is_intact_around_mpi(thread->outermost);
}

/* The function of the call that was left, + 1: it was in MPI, or had been there and was not
 * recorded yet. 0: it never came to MPI, or is recorded. */
static uint32_t function_left(const struct mprof_thread *live)
{
    if (live->in_call != 0)
        return live->in_call;
    return live->ticks > thread_state.last_stop_ticks ? live->last_function : 0;
}

static void count_call(struct recorder *recorder, uint32_t function)
{
    struct mprof_thread *live = recorder->live;
    struct path path = {
        .callsite = live->call_callsite, .last_word = PATH_NO_ROW, .last_before = PATH_NO_ROW};
    struct call left = {.recorder = recorder, .path = &path, .start_ticks = live->ticks};
    left.word = entry_word((uint16_t)(function - 1), thread_state.region,
                           (uint16_t)live->call_communicator, MPROF_KIND_CALL);
    live->last_function = function;
    live->in_call = 0;
    end_slowly(&left);
}

void call_count_left(void)
{
    struct thread_state *thread = &thread_state;
    struct recorder *recorder = thread->recorder;
    char here = 0;
    if (thread->depth == 0 || !on_own_stack(&here, thread->outermost)) /* it may go on later, and
                                                                          count then */
        return;
    modules_leave();
    locks_give_left();
    cancellation_release();
    thread->own_work = false;
    if (recorder != NULL)
        events_finish_exchange(recorder);
    const uint32_t function =
        recorder == NULL || recorder->shared ? 0 : function_left(recorder->live);
    if (function != 0)
        count_call(recorder, function);
}

static void end_thread(void *recorder)
{
    call_count_left();
    recorder_give_back(recorder);
}

bool call_begin_slowly(struct call *call)
{
    struct thread_state *thread = &thread_state;
    const uint16_t function = call_function(call);
    if (thread->depth != 0 && call_is_nested(call))
        return false;
    if (record.stopped && !record_may_begin_anew(function))
        return false;
    call_count_left();
    thread->outermost = call;
    thread->depth = 1;
    if (thread->recorder != NULL)
        return true; /* the call that set `depth` was left by a jump */
    call->recorder = record_attach(end_thread);
    if (call->recorder == NULL)
        thread->depth = 0;
    if (!record.stopped && call->recorder == NULL && record_begins_with(function))
        record_go_without(); /* nobody else would begin the file */
    return call->recorder != NULL;
}

/* The first MPI call in a child that was made without the handlers of fork() (clone, _Fork),
 * between its beginning and its start: it goes to the child's own record. */
static COLD void begin_after_hidden_fork(void)
{
    struct call *call = (struct call *)(uintptr_t)thread_state.outermost;
    record_stop_in_child();
    if (!record_may_begin_anew(call_function(call)) || record_attach(end_thread) == NULL)
        return; /* the call goes on with what is nobody's record now */
    call->recorder = thread_state.recorder;
    call->word = entry_word(call_function(call), 0, MPROF_COMM_SLOT_NONE, MPROF_KIND_CALL);
}

static COLD struct path *find_new_path(const void *return_address, const void *cfa)
{
    if (thread_state.paths != &callsites_no_cache && thread_state.paths->generation == 0)
        begin_after_hidden_fork();
    return callsite_make(return_address, cfa);
}

static COLD struct path *find_path_further(const void *return_address, const void *cfa,
                                           struct path_cache *cache)
{
    struct path *path = path_search(return_address, cfa, cache);
    if (path == NULL)
        return find_new_path(return_address, cfa);
    return --cache->calls_to_check == 0 ? callsite_check(return_address, cfa, cache, path) : path;
}

/* ---- rarely: around MPI ---------------------------------------------------------------------- */

/* Now and then: does a time bin end, did the thread have a CPU, and is it time for a sample? That
 * is not computing. */
static COLD void look_around_safely(const struct call *call, struct thread_state *thread,
                                    const struct call_marks *marks)
{
    if (own_stack_is_short()) { /* a later call looks around */
        if (!call->recorder->shared)
            bin_part_add(&call->recorder->bin, call->ticks, call->size, marks);
        return;
    }
    thread->depth = 1;
    if (!call->recorder->shared)
        thread_was_not_computing(time_bins_after(call, marks));
    events_look(call->recorder, thread->last_stop_ticks);
    if (!thread->own_work)
        cpu_time_after();
    if (!thread->own_work && samples_due(thread->last_stop_ticks)) {
        record_sample(thread->last_stop_ticks);
        cpu_time_skip();
        thread->last_stop_ticks = clock_ticks();
    }
    thread->depth = 0;
}

/* The thread called MPI before another one made MPI_Init. Time 0 is in between. MPI_Init takes
 * longer than it is until the CPU is looked at, so this comes before the next segment. */
static void forget_time_before_begin(void)
{
    const uint64_t begin_ticks = record.clock->start.ticks_after;
    if (thread_state.last_stop_ticks == 0 || thread_state.last_stop_ticks >= begin_ticks)
        return;
    thread_state.last_stop_ticks = begin_ticks;
    record_forget_computing();
}

static COLD void look_around(const struct call *call, struct thread_state *thread,
                             const struct call_marks *marks)
{
    cancellation_hold();
    look_around_safely(call, thread, marks);
    cancellation_release();
}

static COLD uint64_t look_at_cpu(const struct call *call, uint16_t function, uint64_t now_ticks)
{
    uint64_t before = thread_state.last_call;
    struct segment_key key = make_segment_key((uint32_t)before, (uint32_t)(before >> 32),
                                              call->path->callsite, function + 1u);
    forget_time_before_begin();
    if (own_stack_is_short())
        return now_ticks;
    if (!call->recorder->shared)
        thread_was_not_computing(time_bins_before(call->recorder, now_ticks));
    events_look(call->recorder, now_ticks);
    uint64_t begin_ticks = cpu_time_before(&key, clock_ticks());
    if (samples_due(now_ticks))
        thread_state.cpu.deadline = 0; /* so that leave() looks around */
    return begin_ticks;
}

uint64_t call_look_at_cpu(const struct call *call, uint16_t function, uint64_t now_ticks)
{
    cancellation_hold();
    const uint64_t begin_ticks = look_at_cpu(call, function, now_ticks);
    cancellation_release();
    return begin_ticks;
}

static void foresee_segment(const struct call *call, uint16_t function)
{
    uint64_t before = thread_state.last_call;
    struct segment_key key = make_segment_key((uint32_t)before, (uint32_t)(before >> 32),
                                              call->path->callsite, function + 1u);
    segment_prefetch(call->recorder, &key);
}

/* Tables that threads share may move meanwhile. */
void call_foresee(const struct call *call, uint16_t function)
{
    if (call->recorder->shared)
        return;
    foresee_segment(call, function);
    __builtin_prefetch(call->path->last_entry, 1);
}

void call_foresee_send(const struct call *call, uint16_t function, uint64_t bytes)
{
    if (call->recorder->shared)
        return;
    foresee_segment(call, function);
    struct entry_key key = call_key(call);
    key.size = bytes;
    entry_prefetch(call->recorder, &key);
    if (call->comm != NULL && call->comm->facts.world_ordered)
        partner_prefetch(call->recorder, MPROF_PARTNER_SENT, (uint32_t)call->peer, key.callsite);
}

uint64_t call_start_slowly(void)
{
    if (counters_on)
        counters_enter_mpi();
    return clock_ticks();
}

uint64_t call_stop_slowly(void)
{
    uint64_t now = clock_ticks();
    if (counters_on)
        counters_leave_mpi();
    return now;
}

/* A single message, of a call that sends or receives itself. */
static __attribute__((noinline)) void add_event(const struct call *call,
                                                const struct exchange *exchange)
{
    struct recorder *recorder = call->recorder;
    if (!recorder->in_events || exchange->messages == 0 || call->comm == NULL)
        return;
    events_add_message(recorder, exchange,
                       &(struct event_message){call->start_ticks, call->start_ticks,
                                               call->comm->slot, recorder->live->call_tag});
}

void call_exchange_slowly(const struct call *call, enum mprof_partner_kind kind, unsigned messages,
                          uint64_t bytes, uint64_t ticks)
{
    struct path *path = call->path;
    struct exchange exchange = {.kind = kind,
                                .world_rank = call->world_peer,
                                .callsite = path->callsite,
                                .messages = messages,
                                .bytes = bytes,
                                .ticks = ticks};
    struct mprof_partner *row = record_exchange(call->recorder, &exchange);
    if (call->recorder->keeps_messages) {
        add_event(call, &exchange);
        return;
    }
    uint64_t word = partner_word(kind, call->world_peer);
    if (!call->recorder->shared && partner_is(row, word, path->callsite))
        path->partners[(uint32_t)kind % PATH_PARTNERS] = (struct path_partner){word, row};
}

/* ---- rarely: the end ------------------------------------------------------------------------- */

static struct segment_key segment_key_of(const struct call *call, uint64_t before)
{
    return make_segment_key((uint32_t)before, (uint32_t)(before >> 32), call->path->callsite,
                            call_function(call) + 1u);
}

/* The computing before this call, which began when the last one ended. How long a thread computed
 * before its first call is not known: that segment counts, and takes no time. */
static struct mprof_segment *record_segment_before(const struct call *call,
                                                   const struct thread_state *thread)
{
    struct segment_key key = segment_key_of(call, thread->last_call);
    const uint64_t *growth = counters_on ? counters_segment_growth() : NULL;
    const uint64_t ticks =
        thread->last_stop_ticks == 0 ? 0 : call->start_ticks - thread->last_stop_ticks;
    return record_segment(call->recorder, &key, ticks, growth);
}

/* Remembers the rows that were just found, so the next equal call need not search. */
static void remember_rows(struct path *path, const struct entry_key *key, struct mprof_entry *entry,
                          struct mprof_segment *segment, uint64_t before,
                          const struct call_marks *marks)
{
    if (entry->size != key->size || word_at(&entry->function) != key->word)
        return; /* detail was folded: that is counted every time */
    if (path->lost)
        return; /* and so is this */
    path->marks = *marks;
    path->last_size = key->size;
    path->last_word = key->word;
    path->last_entry = entry;
    bool is_own =
        segment->to_callsite == path->callsite && before != 0 &&
        word_at(&segment->from_callsite) == ((uint32_t)before | (uint64_t)path->callsite << 32);
    path->last_before = is_own && segment->to_function != 0 ? before : PATH_NO_ROW;
    path->last_segment = segment;
}

static struct call_marks marks_of(const struct call *call, const struct entry_key *key)
{
    struct call_marks marks;
    marks.call = key->callsite | (uint64_t)(call_function(call) + 1u) << 32;
    marks.item = marks.call | key->word >> COMMUNICATOR_SHIFT << 48;
    marks.item_bytes = key->size < UINT32_MAX ? (uint32_t)key->size : UINT32_MAX;
    if ((mpi_function_marks[call_function(call)] & MPI_IS_UNTIMED) != 0)
        marks.item_bytes = 1; /* how many polls the item is of */
    marks.time_class = mpi_time_classes[call_function(call)];
    return marks;
}

static COLD void end_slowly(struct call *call)
{
    struct thread_state *thread = &thread_state;
    struct path *path = call->path;
    struct entry_key key = call_key(call);
    uint64_t before = polls_settle(call);
    const struct call_marks marks = marks_of(call, &key);
    struct mprof_segment *segment = record_segment_before(call, thread);
    struct mprof_entry *entry = record_call(call->recorder, &key, call->ticks);
    if (path->lost)
        count_loss(&call->recorder->live->folded_callsites);
    if (!call->recorder->careful)
        remember_rows(path, &key, entry, segment, before, &marks);
    leave(call, thread, &marks, call->recorder->shared);
}

/* The same function and communicator as the last time on this path, but another size or another
 * call before: a line that sends many sizes, or that is reached from several lines. Both rows are
 * there. */
static bool find_other_rows(const struct call *call, const struct thread_state *thread,
                            uint64_t word)
{
    struct path *path = call->path;
    struct mprof_entry *entry = path->last_entry;
    struct mprof_segment *segment = path->last_segment;
    uint64_t before = thread->last_call;
    if (path->last_word != word || before == 0 || (before & LAST_CALL_UNTIMED) != 0 ||
        thread->last_stop_ticks == 0)
        return false;
    if (path->last_before != before) {
        struct segment_key key = segment_key_of(call, before);
        if ((segment = segment_find(call->recorder, &key)) == NULL)
            return false;
    }
    struct entry_key key = {.size = call->size, .word = word, .callsite = path->callsite};
    if (path->last_size != call->size && (entry = entry_find(call->recorder, &key)) == NULL)
        return false;
    path->marks = marks_of(call, &key);
    path->last_size = call->size;
    path->last_entry = entry;
    path->last_before = before;
    path->last_segment = segment;
    return true;
}

static __attribute__((noinline)) void end_on_other_rows(struct call *call, uint64_t word)
{
    if (find_other_rows(call, &thread_state, word))
        add_to_rows(call, &thread_state);
    else
        end_slowly(call);
}

/* ---- the end of a poll ----------------------------------------------------------------------- */

/* Between the same calls as the last poll of its path. */
static void end_and_learn(struct call *call)
{
    const uint64_t gap = call->start_ticks - thread_state.last_stop_ticks;
    call_end(call);
    if (call->path->hot)
        polls_end_hot(call, gap);
    else
        polls_learn(call, gap);
}

void poll_end_timed(struct call *call)
{
    const struct thread_state *thread = &thread_state;
    struct path *path = call->path;
    const bool is_cycle = path->last_before == thread->last_call; /* also timed, the usual one */
    const bool is_repeated = (thread->last_call & ~LAST_CALL_UNTIMED) == path->marks.call;
    if (!is_cycle)
        path->after_poll = polls_is_after_poll();
    if (__builtin_expect(!path->after_poll || thread->polls_ended, 0))
        polls_show_begin(call);
    if (is_cycle && polls_hot_ticks != 0)
        end_and_learn(call);
    else
        call_end(call);
    if (is_repeated)
        last_calls_join_polls(call->recorder);
}
