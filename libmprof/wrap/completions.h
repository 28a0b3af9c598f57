/* For the wrappers of MPI_Wait* and MPI_Test*: which requests completed, what they brought, and
 * from whom. Compiled inside wrappers.c.
 *
 * Before the library's call every request is looked up (requests.h says why); after it, those that
 * completed give their bytes back to the calls that started them. The library's statuses are needed
 * for that, so where the program passes MPI_STATUS(ES)_IGNORE and a receive is among its requests,
 * mprof passes statuses of its own; the program sees no difference. Memory: up to FEW requests on
 * the stack, beyond that the thread's scratch memory. Without memory the requests of this call
 * stay pending in the record and are counted as not tracked.
 */
#ifndef MPROF_COMPLETIONS_H
#define MPROF_COMPLETIONS_H

#include "wrap/payload.h"

enum { FEW = 4 };

struct batch {
    struct pending *pending; /* by position; handle.seen == 0 = nothing to do. NULL = no memory */
    int count;
    uint32_t open;                /* how many have not ended; 0 = not counted */
    const struct request *latest; /* of these, the last one that is known */
    bool late;                    /* nothing was looked up yet: the handles are in `handles` */
    MPI_Status *statuses; /* to pass to the library: the program's, or own ones, or the ignore value
                           */
    struct pending few[FEW];
    MPI_Status few_statuses[FEW];
    MPI_Request handles[FEW];
};

static HOT bool look_up_all(struct batch *batch, const MPI_Request requests[])
{
    /* Not in the batch: the compiler cannot know that a store to a request leaves it as it is. */
    struct pending *pending = batch->pending;
    const struct request *latest = NULL;
    const MPI_Request null = MPI_REQUEST_NULL;
    const int count = batch->count;
    uint32_t open = 0;
    bool bytes_wanted = false;
    for (int i = 0; i < count; i++, pending++) {
        if (requests[i] != null) {
            open++;
            if (request_look_up(HANDLE(requests[i]), pending)) {
                latest = pending->request;
                bytes_wanted |= request_brings_bytes(pending);
                continue;
            }
        }
        pending->handle.seen = 0;
    }
    batch->open = open;
    batch->latest = latest;
    return bytes_wanted;
}

/* `statuses` is the program's; `ignored` says that it is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE.
 */
static void batch_begin(struct batch *batch, struct call *call, int count,
                        const MPI_Request requests[], MPI_Status *statuses, bool ignored)
{
    if (__builtin_expect(requests == NULL, 0))
        count = 0; /* the MPI will refuse it */
    batch->count = count < 0 ? 0 : count;
    batch->late = false;
    batch->statuses = statuses;
    batch->pending = batch->few;
    MPI_Status *own = batch->few_statuses;
    if (batch->count > FEW) {
        size_t pending_bytes = (size_t)batch->count * sizeof *batch->pending;
        batch->pending = thread_scratch(pending_bytes + (size_t)batch->count * sizeof *own);
        own = (MPI_Status *)((char *)batch->pending + pending_bytes);
    }
    if (batch->pending == NULL) {
        batch->open = 0;
        batch->latest = NULL;
        call->recorder->live->untracked_requests += (uint64_t)batch->count;
        return;
    }
    if (look_up_all(batch, requests) && ignored) {
        for (int i = 0; i < batch->count; i++)
            empty_status(&own[i]);
        batch->statuses = own;
    }
}

/* In place of call_start(): the live file shows the partner of a single request. */
static HOT void batch_start(const struct batch *batch, struct call *call, uint16_t function)
{
    request_show(call, batch->open, batch->open == 1 ? batch->latest : NULL);
    call_start_shown(call, function);
}

static COLD bool was_cancelled(const MPI_Status *status)
{
    int cancelled = 0;
    PMPI(MPI_Test_cancelled)(status, &cancelled);
    return cancelled != 0;
}

/* A message from MPI_PROC_NULL, or one that was cancelled before it came, brings nothing. */
static HOT struct arrival message_arrival(const MPI_Status *status)
{
    struct arrival arrival = {.source = status_source(status)};
    if (arrival.source == MPI_PROC_NULL)
        return arrival;
    if (__builtin_expect(requests_were_cancelled, 0) && was_cancelled(status))
        return arrival;
    arrival.message = true;
    arrival.bytes = status_bytes(status);
    arrival.tag = status_tag(status);
    return arrival;
}

/* For MPI_Request_get_status*: what the library says of requests that the program asked about. */
static void looked_at(const MPI_Request requests[], int count, const int indices[],
                      const MPI_Status statuses[])
{
    for (int i = 0; i < count; i++) {
        const struct arrival arrival = message_arrival(&statuses[i]);
        request_seen(HANDLE(requests[indices != NULL ? indices[i] : i]), &arrival);
    }
}

/* Where the program ignores them. */
static MPI_Status *statuses_to_look_into(int count, MPI_Status *statuses, struct call *call)
{
    MPI_Status *own = statuses;
    if (statuses != MPI_STATUSES_IGNORE || count <= 0)
        return statuses;
    own = thread_scratch((size_t)count * sizeof *own);
    if (own == NULL)
        call->recorder->live->untracked_requests += (uint64_t)count;
    for (int i = 0; own != NULL && i < count; i++)
        empty_status(&own[i]);
    return own != NULL ? own : statuses;
}

static HOT void learn_arrival(struct pending *pending, const MPI_Status *status)
{
    if (pending->request->kind == REQUEST_RECEIVE)
        pending->arrival = message_arrival(status);
    else if (pending->request->kind == REQUEST_IO)
        pending->arrival = (struct arrival){.message = true, .bytes = status_bytes(status)};
}

/* Replaces batch_begin() for an untimed poll. Such a poll rarely completes something, and only then
 * the requests are looked up. False if that is not possible, because another thread may get the
 * same handles by then. */
static HOT bool batch_begin_late(struct batch *batch, int count, const MPI_Request requests[],
                                 MPI_Status *statuses, bool ignored)
{
    if (count < 0 || count > FEW || requests == NULL || !handles_are_one_at_a_time)
        return false;
    batch->count = count;
    batch->late = true;
    batch->pending = batch->few;
    batch->statuses = ignored ? batch->few_statuses : statuses;
    for (int i = 0; i < count; i++) {
        batch->handles[i] = requests[i];
        empty_status(&batch->few_statuses[i]);
    }
    return true;
}

/* An untimed poll that turns out to complete something. */
static COLD void complete_late(struct batch *batch, struct call *call)
{
    if (batch->late)
        look_up_all(batch, batch->handles);
    batch->late = false;
    polls_guess_time(call);
}

static HOT void know_all(struct batch *batch, struct call *call)
{
    if (__builtin_expect(call->start_ticks == 0, 0))
        complete_late(batch, call);
    polls_ended_something();
}

/* The one request that the call completed has all of its time. */
static void one_completed(struct batch *batch, struct call *call, int position,
                          const MPI_Status *status)
{
    know_all(batch, call);
    if (batch->pending == NULL || (unsigned)position >= (unsigned)batch->count ||
        batch->pending[position].handle.seen == 0)
        return;
    learn_arrival(&batch->pending[position], status);
    request_complete(call, &batch->pending[position], call->ticks);
}

/* Which request the n-th status belongs to. */
static HOT int position_of(const int indices[], int number)
{
    return indices != NULL ? indices[number] : number;
}

/* What one completed request brought; returns its weight (requests.h). */
static HOT uint64_t weigh_one(struct pending *pending, const MPI_Status *status)
{
    if (pending->request->kind != REQUEST_RECEIVE) {
        learn_arrival(pending, status);
        return request_weight(pending);
    }
    const struct arrival arrival = message_arrival(status);
    pending->arrival = arrival;
    return arrival_weight(&arrival);
}

/* The same of all; returns the sum of their weights, and in `*last` the number of the last one. */
static HOT uint64_t weigh(struct batch *batch, int count, const int indices[], int *last)
{
    struct pending *all = batch->pending;
    const MPI_Status *statuses = batch->statuses;
    uint64_t weights = 0;
    *last = -1;
    for (int i = 0; i < count; i++) {
        struct pending *pending = &all[position_of(indices, i)];
        if (pending->handle.seen == 0)
            continue;
        pending->weight = weigh_one(pending, &statuses[i]);
        weights += pending->weight;
        *last = i;
    }
    return weights;
}

/* The time of a call that completed several requests is divided by their weights; what rounding
 * leaves goes to the last one. `count` may be MPI_UNDEFINED, which is negative. Doubles would raise
 * a flag in the program's floating-point environment, so ticks per weight have 16 bits behind the
 * point. The product is at most ticks << 16, which fits for calls of up to 20 hours; beyond that
 * the division is wrong, and the sum still right. */
static HOT void share_among(struct batch *batch, struct call *call, int count, const int indices[])
{
    int last;
    know_all(batch, call);
    uint64_t weights = weigh(batch, count, indices, &last);
    const int bits = 16;
    const uint64_t ticks_per_weight = weights > 0 ? (call->ticks << bits) / weights : 0;
    const struct pending *all = batch->pending;
    uint64_t left = call->ticks;
    for (int i = 0; i <= last; i++) {
        const struct pending *pending = &all[position_of(indices, i)];
        if (pending->handle.seen == 0)
            continue;
        uint64_t share = left;
        if (i != last)
            share = pending->weight * ticks_per_weight >> bits;
        share = share < left ? share : left;
        left -= share;
        request_complete(call, pending, share);
    }
}

static HOT void batch_completed(struct batch *batch, struct call *call, int count,
                                const int indices[])
{
    if (batch->pending == NULL || count > batch->count)
        return;
    if (count == 1)
        one_completed(batch, call, position_of(indices, 0), &batch->statuses[0]);
    else
        share_among(batch, call, count, indices);
}

static void some_completed(struct batch *batch, struct call *call, int count, const int indices[])
{
    batch_completed(batch, call, count, indices);
}

static void all_completed(struct batch *batch, struct call *call)
{
    batch_completed(batch, call, batch->count, NULL);
}

/* With MPI_ERR_IN_STATUS each status has a code of its own: those that succeeded are complete, and
 * brought what they brought. The time of a failed call is given to none of them. */
static COLD void complete_good_ones(struct batch *batch, struct call *call, int count,
                                    const int indices[])
{
    for (int i = 0; i < count && i < batch->count; i++) {
        unsigned position = (unsigned)position_of(indices, i);
        struct pending *pending = &batch->pending[position];
        if (position >= (unsigned)batch->count || pending->handle.seen == 0 ||
            batch->statuses[i].words[STATUS_ERROR_WORD] != 0)
            continue;
        learn_arrival(pending, &batch->statuses[i]);
        request_complete(call, pending, 0);
        pending->handle.seen = 0;
    }
}

static bool is_error_in_status(int outcome)
{
    int class = 0;
    return outcome != 0 && PMPI(MPI_Error_class)(outcome, &class) == 0 &&
           class == MPI_ERR_IN_STATUS;
}

/* After a failed call. A request that is gone and whose own status does not say success brought
 * nothing that is known. */
static COLD void some_failed(struct batch *batch, struct call *call, const MPI_Request requests[],
                             int outcome, const int *count, const int indices[])
{
    know_all(batch, call);
    if (batch->pending != NULL && batch->statuses != MPI_STATUSES_IGNORE &&
        is_error_in_status(outcome))
        complete_good_ones(batch, call, *count, indices);
    for (int i = 0; batch->pending != NULL && i < batch->count; i++) {
        struct pending *pending = &batch->pending[i];
        if (pending->handle.seen == 0 || requests[i] != MPI_REQUEST_NULL)
            continue;
        pending->arrival = (struct arrival){.message = false};
        request_complete(call, pending, 0);
    }
}

#endif
