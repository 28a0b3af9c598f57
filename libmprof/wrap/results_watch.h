/* The watcher of results: hashes of what messages and collectives carried (record/watched/).
 * Compiled inside wrappers.c; watch.h says when it is called.
 *
 * When a hash is taken: what is given, after the call, which has accepted the arguments and may
 * not have changed the data; where the call overwrites it (MPI_IN_PLACE and relatives), before it.
 * What is got, when the call has completed: at once, or in the call that completes the request.
 * The line, its instance and the collective's number are those of the call that began it.
 */
#ifndef MPROF_RESULTS_WATCH_H
#define MPROF_RESULTS_WATCH_H

#include "base/lock.h"
#include "wrap/outstanding.h"

static struct result_call result_call_of(const struct call *call)
{
    struct result_call of = {.callsite = call->path->callsite,
                             .function = call_function(call),
                             .communicator = call->comm != NULL ? call->comm->slot
                                                                : (uint16_t)MPROF_COMM_SLOT_OTHER};
    return of;
}

/* False if it was to be hashed before the call, and was not known then. */
static bool take_given(const struct watched *watched, struct data_result *result)
{
    if (!watched->gives.overwritten)
        *result = hash_data(&watched->gives, UINT64_MAX);
    else
        *result = watched->given;
    results->not_hashed += result->place == 0;
    return result->place != 0;
}

static void note_sent(const struct watched *watched, const struct call *call, struct comm *comm,
                      const struct result_call *of)
{
    if (watched->dest == MPI_PROC_NULL || comm == NULL || !comm_has_rank(comm, watched->dest))
        return;
    const struct result_channel channel = {MPROF_RESULT_SENT,
                                           comm_world_rank(call->recorder, comm, watched->dest),
                                           sent_tag(watched->send_tag)};
    struct data_result result;
    if (take_given(watched, &result))
        results_note_message(of, &channel, &result);
}

static bool brings_message(const struct watched *watched)
{
    return watched->source != MPI_PROC_NULL &&
           (watched->kind == WATCHED_RECEIVE || watched->kind == WATCHED_SENDRECV);
}

static struct posted_receive *post(const struct watched *watched, const struct result_call *of)
{
    return receive_post(of, shown_source(watched->source), shown_tag(watched->receive_tag));
}

/* The message of `receive` is there, as `status` tells. */
static void note_arrival(struct posted_receive *receive, const struct watched_data *data,
                         struct comm *comm, const struct call *call, const MPI_Status *status)
{
    const struct arrival arrival = message_arrival(status);
    if (receive == NULL)
        return;
    if (!arrival.message || comm == NULL || !comm_has_rank(comm, arrival.source)) {
        receive_withdraw(receive);
        return;
    }
    receive->source = arrival.source;
    receive->tag = arrival.tag;
    receive->world_source = comm_world_rank(call->recorder, comm, arrival.source);
    receive->result = hash_data(data, arrival.bytes);
    receive_arrived(receive);
}

static enum mprof_result_kind kind_of_given(const struct watched *watched)
{
    return watched->reduces ? MPROF_RESULT_REDUCING : MPROF_RESULT_GIVEN;
}

static enum mprof_result_kind kind_of_got(const struct watched *watched)
{
    return watched->reduces ? MPROF_RESULT_REDUCED : MPROF_RESULT_GOT;
}

static uint16_t result_flags(const struct watched *watched, const struct watched_data *data)
{
    return watched->reduces && depends_on_order(watched->op, data) ? MPROF_RESULT_ORDERED : 0;
}

static bool has_data(const struct watched_data *data)
{
    return data->blocks > data->first && data->buffer != MPI_IN_PLACE;
}

static void note_given(const struct watched *watched, const struct result_call *of, uint64_t number)
{
    struct data_result result;
    if (!has_data(&watched->gives) || !take_given(watched, &result))
        return;
    result.flags = result_flags(watched, &watched->gives);
    results_note_collective(of, kind_of_given(watched), number, &result);
}

static void note_got(const struct watched *watched, const struct result_call *of, uint64_t number)
{
    if (!has_data(&watched->gets))
        return;
    struct data_result result = hash_data(&watched->gets, UINT64_MAX);
    result.flags = result_flags(watched, &watched->gets);
    results_note_collective(of, kind_of_got(watched), number, &result);
}

/* A request that was there before under this handle: the program no longer waits for it, or the MPI
 * gives one handle to all requests that are complete already. Then its data are there. */
static void end_earlier(uint64_t handle)
{
    struct outstanding *earlier = outstanding_find(HANDLE_REQUEST, handle);
    if (earlier == NULL)
        return;
    if (earlier->users > 0) { /* the call that completed it goes on with it */
        outstanding_unname(earlier);
        return;
    }
    if (earlier->brings && earlier->watched.kind == WATCHED_COLLECTIVE)
        note_got(&earlier->watched, &earlier->call, earlier->number);
    outstanding_remove(earlier);
}

/* What a call or a start of a persistent request begins; `entry` is NULL for a blocking call. */
static void begin_data(struct watched *watched, const struct call *call, struct comm *comm,
                       const struct result_call *of, struct outstanding *entry)
{
    uint64_t number = 0;
    struct posted_receive *receive = NULL;
    if (watched->kind == WATCHED_COLLECTIVE) {
        number = results_next_collective(of->communicator);
        note_given(watched, of, number);
    }
    if (watched->kind == WATCHED_SEND || watched->kind == WATCHED_SENDRECV)
        note_sent(watched, call, comm, of);
    if (brings_message(watched))
        receive = post(watched, of);
    if (entry != NULL) {
        entry->call = *of;
        entry->number = number;
        entry->receive = receive;
        entry->brings =
            receive != NULL || (watched->kind == WATCHED_COLLECTIVE && has_data(&watched->gets));
    } else if (receive != NULL) {
        note_arrival(receive, &watched->gets, comm, call, watched->statuses);
    } else if (watched->kind == WATCHED_COLLECTIVE) {
        note_got(watched, of, number);
    }
}

static bool will_bring(const struct watched *watched)
{
    return brings_message(watched) ||
           (watched->kind == WATCHED_COLLECTIVE && has_data(&watched->gets));
}

static void watch_data_call(struct watched *watched, const struct call *call)
{
    struct result_call of = result_call_of(call);
    struct outstanding *entry = NULL;
    if (!watched->persistent)
        results_count_call(&of, call->recorder);
    if (watched->persistent || watched->nonblocking)
        end_earlier(HANDLE(*watched->requests));
    if (watched->persistent || (watched->nonblocking && will_bring(watched)))
        entry = outstanding_enter(HANDLE_REQUEST, HANDLE(*watched->requests), watched, call);
    if (watched->persistent) {
        if (entry != NULL)
            entry->call = of;
        return;
    }
    begin_data(watched, call, call->comm, &of, entry);
}

/* A message was matched: the receive that takes it is posted now, and its sender is known. */
static void watch_probe(struct watched *watched, const struct call *call)
{
    const struct result_call of = result_call_of(call);
    if ((watched->flag != NULL && *watched->flag == 0) || *watched->message == MPI_MESSAGE_NO_PROC)
        return;
    struct outstanding *entry =
        outstanding_enter(HANDLE_MESSAGE, HANDLE(*watched->message), watched, call);
    if (entry == NULL)
        return;
    const bool known = watched->statuses != MPI_STATUS_IGNORE;
    entry->receive =
        receive_post(&of, known ? status_source(watched->statuses) : shown_source(watched->source),
                     known ? status_tag(watched->statuses) : shown_tag(watched->receive_tag));
}

static void watch_matched(struct watched *watched, const struct call *call)
{
    struct outstanding *probe = watched->found;
    if (probe == NULL)
        return;
    struct result_call of = result_call_of(call);
    results_count_call(&of, call->recorder);
    of.communicator = probe->receive != NULL ? probe->receive->call.communicator : of.communicator;
    struct posted_receive *receive = probe->receive;
    probe->receive = NULL;
    if (receive != NULL)
        receive->call = of;
    if (!watched->nonblocking) {
        note_arrival(receive, &watched->gets, probe->comm, call, watched->statuses);
        outstanding_remove(probe);
        return;
    }
    end_earlier(HANDLE(*watched->requests));
    struct outstanding *entry =
        outstanding_enter(HANDLE_REQUEST, HANDLE(*watched->requests), watched, call);
    if (entry != NULL) {
        entry->call = of;
        entry->receive = receive;
        entry->brings = receive != NULL;
        entry->comm = probe->comm; /* which it holds from here on */
        probe->comm = NULL;
    } else if (receive != NULL) {
        receive_withdraw(receive);
    }
    outstanding_remove(probe);
}

/* What is known of each request, before a call that may take the handles away. */
static void find_requests(struct watched *watched)
{
    const MPI_Count count = watched->requests != NULL ? watched->request_count : 0;
    struct outstanding **found = NULL;
    if (count > 0)
        found = results_scratch((size_t)count * sizeof(struct outstanding *));
    for (MPI_Count i = 0; found != NULL && i < count; i++) {
        found[i] = watched->requests[i] == MPI_REQUEST_NULL
                       ? NULL
                       : outstanding_find(HANDLE_REQUEST, HANDLE(watched->requests[i]));
        if (found[i] != NULL)
            found[i]->users++;
    }
    watched->found = found;
}

static bool is_given_requests(const struct watched *watched)
{
    return watched->kind == WATCHED_COMPLETION || watched->kind == WATCHED_START ||
           watched->kind == WATCHED_FREE;
}

static void leave_requests(struct watched *watched)
{
    struct outstanding **found = watched->found;
    for (MPI_Count i = 0; found != NULL && i < watched->request_count; i++)
        if (found[i] != NULL)
            found[i]->users--;
}

static void give_before_start(struct watched *watched)
{
    struct outstanding **found = watched->found;
    for (MPI_Count i = 0; found != NULL && i < watched->request_count; i++)
        if (found[i] != NULL && found[i]->watched.gives.overwritten)
            found[i]->watched.given = hash_data(&found[i]->watched.gives, UINT64_MAX);
}

/* The line is that of the call that made the request, and this counts as one more call of that
 * line. */
static void start_found(struct outstanding *entry, const struct call *call)
{
    results_count_call(&entry->call, call->recorder);
    begin_data(&entry->watched, call, entry->comm, &entry->call, entry);
}

static void complete_found(struct outstanding *entry, const struct call *call,
                           const MPI_Status *status)
{
    if (entry->brings && entry->receive != NULL) {
        struct posted_receive *receive = entry->receive;
        entry->receive = NULL;
        if (status != NULL)
            note_arrival(receive, &entry->watched.gets, entry->comm, call, status);
        else
            receive_withdraw(receive);
    } else if (entry->brings) {
        note_got(&entry->watched, &entry->call, entry->number);
    }
    entry->brings = false;
    if (!entry->watched.persistent)
        outstanding_remove(entry);
}

/* How many requests the call completed. */
static MPI_Count completed_count(const struct watched *watched)
{
    if (watched->flag != NULL && *watched->flag == 0)
        return 0;
    if (watched->index_count != NULL) /* MPI_UNDEFINED is negative */
        return *watched->index_count;
    return watched->indices != NULL ? 1 : watched->request_count;
}

static void watch_completion(struct watched *watched, const struct call *call, int outcome)
{
    struct outstanding **found = watched->found;
    if (found == NULL)
        return;
    if (outcome != 0) { /* what brought nothing that is known */
        for (MPI_Count i = 0; i < watched->request_count; i++)
            if (found[i] != NULL && watched->requests[i] == MPI_REQUEST_NULL)
                outstanding_remove(found[i]);
        return;
    }
    const bool has_statuses = watched->statuses != MPI_STATUSES_IGNORE;
    const MPI_Count count = completed_count(watched);
    for (MPI_Count i = 0; i < count; i++) {
        const MPI_Count at = watched->indices != NULL ? watched->indices[i] : i;
        if (at >= 0 && at < watched->request_count && found[at] != NULL)
            complete_found(found[at], call, has_statuses ? &watched->statuses[i] : NULL);
    }
}

static void results_before(struct watched *watched, struct call *call)
{
    (void)call;
    if (!lock_take(&results_lock))
        return;
    const uint64_t begin = clock_ticks();
    if (is_given_requests(watched))
        find_requests(watched);
    if (watched->kind == WATCHED_START)
        give_before_start(watched);
    if (watched->kind == WATCHED_MATCHED_RECEIVE && watched->message != NULL)
        watched->found = outstanding_find(HANDLE_MESSAGE, HANDLE(*watched->message));
    if (watched->gives.overwritten && !watched->persistent && has_data(&watched->gives))
        watched->given = hash_data(&watched->gives, UINT64_MAX);
    results->own_ticks += clock_ticks() - begin;
    lock_give(&results_lock);
}

static void watch_after_success(struct watched *watched, const struct call *call)
{
    struct outstanding **found = watched->found;
    switch (watched->kind) {
    case WATCHED_PROBE:
        watch_probe(watched, call);
        break;
    case WATCHED_MATCHED_RECEIVE:
        watch_matched(watched, call);
        break;
    case WATCHED_START:
        for (MPI_Count i = 0; found != NULL && i < watched->request_count; i++)
            if (found[i] != NULL)
                start_found(found[i], call);
        break;
    case WATCHED_FREE:
        if (found != NULL && found[0] != NULL)
            outstanding_remove(found[0]);
        break;
    case WATCHED_MAKER:
    case WATCHED_CANCEL: /* the status tells, when it completes */
    case WATCHED_COMPLETION:
        break;
    default:
        watch_data_call(watched, call);
    }
}

static void results_after(struct watched *watched, struct call *call, int outcome)
{
    if (!lock_take(&results_lock))
        return;
    const uint64_t begin = clock_ticks();
    if (is_given_requests(watched))
        leave_requests(watched);
    if (watched->kind == WATCHED_COMPLETION)
        watch_completion(watched, call, outcome);
    else if (outcome == 0)
        watch_after_success(watched, call);
    results->own_ticks += clock_ticks() - begin;
    lock_give(&results_lock);
}

#endif
