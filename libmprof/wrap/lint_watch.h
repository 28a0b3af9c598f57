/* The watcher of MPROF_LINT (wrap/watch.h): makes plain integers for record/watched/ of what a call
 * was given. Compiled inside wrappers.c, once per ABI family.
 *
 * Buffers count only if each byte between their start and their end belongs to them: parts of a
 * strided datatype may lie between those of another one. Datatypes of collectives are compared as
 * kind of number and size, and only predefined ones.
 */
#ifndef MPROF_LINT_WATCH_H
#define MPROF_LINT_WATCH_H

#include <string.h>

#include "record/calls/attach.h"
#include "record/watched/lint_record.h"
#include "wrap/watched.h"

enum { LINT_NAME_BYTES = 256, LINT_ERROR_BYTES = 2048 }; /* more than any MPI's limits */
enum { LINT_BLOCKS = 64 };

/* The requests that a completing call was given, of the thread that notes steps. */
enum { LINT_REQUESTS = 1024 };
static uint64_t lint_requests[LINT_REQUESTS];
static MPI_Count lint_request_count;

static bool lint_is_wanted(void)
{
    return options.lint != 0;
}

/* ---- what a call was given ----------------------------------------------------------------------
 */

/* 0 = another one, of the program. */
static uint32_t lint_operation_code(MPI_Op op)
{
    const MPI_Op known[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                            MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (op == known[i])
            return i + 1;
    return 0;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

static enum mprof_lint_type lint_kind_of_name(const char *name)
{
    static const struct {
        const char *part;
        enum mprof_lint_type kind;
    } kinds[] = {{"COMPLEX", MPROF_LINT_TYPE_COMPLEX}, {"FLOAT", MPROF_LINT_TYPE_REAL},
                 {"DOUBLE", MPROF_LINT_TYPE_REAL},     {"REAL", MPROF_LINT_TYPE_REAL},
                 {"INT", MPROF_LINT_TYPE_INTEGER},     {"LONG", MPROF_LINT_TYPE_INTEGER},
                 {"SHORT", MPROF_LINT_TYPE_INTEGER},   {"UNSIGNED", MPROF_LINT_TYPE_INTEGER},
                 {"AINT", MPROF_LINT_TYPE_INTEGER},    {"OFFSET", MPROF_LINT_TYPE_INTEGER},
                 {"COUNT", MPROF_LINT_TYPE_INTEGER}};
    if (ends_with(name, "_INT") && strcmp(name, "MPI_INT") != 0 &&
        strcmp(name, "MPI_LONG_LONG_INT") != 0)
        return MPROF_LINT_TYPE_NONE; /* a pair */
    for (size_t i = 0; name[0] != '\0' && name[4] != '2' && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strstr(name, kinds[i].part) != NULL)
            return kinds[i].kind;
    return MPROF_LINT_TYPE_NONE;
}

/* Kind of number << 8 | bytes; 0 = not known. */
static uint16_t lint_type_of(MPI_Datatype type)
{
    char name[LINT_NAME_BYTES] = "";
    int length = 0;
    if (type == MPI_DATATYPE_NULL || !is_predefined(type))
        return 0;
    PMPI(MPI_Type_get_name)(type, name, &length);
    const uint64_t bytes = type_bytes(type);
    const enum mprof_lint_type kind = lint_kind_of_name(name);
    /* Characters and bytes are used for one another. */
    return kind == MPROF_LINT_TYPE_NONE || bytes < 2 || bytes > UINT8_MAX
               ? 0
               : (uint16_t)((uint32_t)kind << 8 | (uint32_t)bytes);
}

static uint16_t lint_type_of_data(const struct watched_data *data)
{
    if (data->blocks == 0 || data->types != NULL || data->counts.array != NULL || data->count <= 0)
        return 0;
    return lint_type_of(data->type);
}

/* Each byte of `count` elements is touched. */
static bool is_dense(MPI_Datatype type, MPI_Count count)
{
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    PMPI(MPI_Type_get_true_extent)(type, &true_lower, &true_extent);
    PMPI(MPI_Type_get_extent)(type, &lower, &extent);
    const uint64_t bytes = type_bytes(type);
    return true_lower == 0 && true_extent >= 0 && (uint64_t)true_extent == bytes &&
           (count == 1 || extent == true_extent);
}

static void lint_add_buffer(struct lint_operation *operation, const struct watched_block *block,
                            bool is_written)
{
    if (block->count <= 0 || !is_dense(block->type, block->count))
        return;
    const uint64_t begin = (uint64_t)(uintptr_t)block->address;
    const struct lint_buffer buffer = {begin, begin + payload(block->count, block->type),
                                       is_written};
    struct lint_buffer *last =
        operation->buffer_count > 0 ? &operation->buffers[operation->buffer_count - 1] : NULL;
    if (last != NULL && last->end == begin && last->is_written == is_written)
        last->end = buffer.end;
    else if (operation->buffer_count < LINT_BUFFERS)
        operation->buffers[operation->buffer_count++] = buffer;
}

/* What is both read and written by one call is written. Of many blocks with a count each only the
 * first ones are looked at. */
static void lint_add_data(struct lint_operation *operation, const struct watched_data *data,
                          bool is_written)
{
    const bool writes = is_written || data->overwritten;
    const bool is_one = data->counts.array == NULL && data->places.array == NULL &&
                        data->types == NULL && data->missing == 0 && data->blocks > data->first;
    const char *next = NULL;
    if (is_one) {
        struct watched_block all = data_block(data, data->first, &next);
        all.count *= (MPI_Count)(data->blocks - data->first);
        lint_add_buffer(operation, &all, writes);
        return;
    }
    for (uint64_t i = data->first; i < data->blocks && i < data->first + LINT_BLOCKS; i++) {
        const struct watched_block block = data_block(data, i, &next);
        lint_add_buffer(operation, &block, writes);
    }
}

static uint32_t lint_world_rank(const struct call *call, int rank)
{
    return call->comm == NULL ? (uint32_t)MPROF_RANK_OUTSIDE
                              : comm_world_rank(call->recorder, call->comm, rank);
}

/* ---- steps --------------------------------------------------------------------------------------
 */

static uint8_t lint_flag(bool holds, enum mprof_lint_step_flags flag)
{
    return holds ? (uint8_t)flag : 0;
}

static struct mprof_lint_step lint_send(const struct watched *watched, const struct call *call)
{
    return (struct mprof_lint_step){.kind = MPROF_LINT_SEND,
                                    .flags = lint_flag(watched->waits, MPROF_LINT_WAITS),
                                    .rank = lint_world_rank(call, watched->dest),
                                    .tag = sent_tag(watched->send_tag)};
}

/* Whom it is from is known when it is complete. */
static struct mprof_lint_step lint_receive(const struct watched *watched, const struct call *call)
{
    const bool any = watched->source == MPI_ANY_SOURCE;
    return (struct mprof_lint_step){
        .kind = MPROF_LINT_RECEIVE,
        .flags = lint_flag(any, MPROF_LINT_ANY_SOURCE) |
                 lint_flag(watched->receive_tag < 0, MPROF_LINT_ANY_TAG),
        .rank = any ? (uint32_t)MPROF_RANK_OUTSIDE : lint_world_rank(call, watched->source),
        .tag = shown_tag(watched->receive_tag)};
}

static struct mprof_lint_step lint_completion(uint32_t started, bool was_waited_for)
{
    return (struct mprof_lint_step){.kind = MPROF_LINT_COMPLETE,
                                    .flags = lint_flag(was_waited_for, MPROF_LINT_WAITS),
                                    .started = started};
}

static struct mprof_lint_step lint_collective(const struct watched *watched)
{
    const uint16_t given = lint_type_of_data(&watched->gives);
    return (struct mprof_lint_step){.kind = MPROF_LINT_COLLECTIVE,
                                    .type = given != 0 ? given : lint_type_of_data(&watched->gets),
                                    .rank = (uint32_t)watched->root,
                                    .started =
                                        watched->reduces ? lint_operation_code(watched->op) : 0};
}

/* Where the message came from. `comm` is that of the receive. */
static void lint_learn_message(struct mprof_lint_step *step, const struct call *call,
                               const struct comm *comm, const MPI_Status *status)
{
    const int source = status_source(status);
    step->tag = status_tag(status);
    step->rank = comm == NULL || !comm_has_rank(comm, source)
                     ? (uint32_t)MPROF_RANK_OUTSIDE
                     : comm_world_rank(call->recorder, comm, source);
}

static bool lint_has_status(const MPI_Status *status)
{
    if (status == NULL || status == MPI_STATUS_IGNORE)
        return false;
    return status != MPI_STATUSES_IGNORE;
}

/* The receive that a call completes itself. */
static void lint_note_received(const struct watched *watched, const struct call *call,
                               struct mprof_lint_step step)
{
    if (!lint_has_status(watched->statuses) || status_source(watched->statuses) == MPI_PROC_NULL)
        return;
    lint_learn_message(&step, call, call->comm, watched->statuses);
    step.flags |= MPROF_LINT_BLOCKS;
    lint_note(call, &step);
}

static void lint_note_sendrecv(const struct watched *watched, const struct call *call)
{
    struct mprof_lint_step send = lint_send(watched, call);
    send.flags |= MPROF_LINT_WAITS;
    struct mprof_lint_step receive = lint_receive(watched, call);
    const uint32_t sent = watched->dest != MPI_PROC_NULL ? lint_note(call, &send) : 0;
    lint_note_received(watched, call, receive);
    const struct mprof_lint_step completion = lint_completion(sent, true);
    if (sent != 0)
        lint_note(call, &completion);
}

/* ---- operations ---------------------------------------------------------------------------------
 */

static struct lint_other lint_line(const struct call *call)
{
    return (struct lint_other){call_function(call), call->path->callsite};
}

static struct lint_operation lint_memory(const struct watched *watched, const struct call *call)
{
    struct lint_operation operation = {.line = lint_line(call)};
    lint_add_data(&operation, &watched->gives, false);
    if (!watched->gives.overwritten)
        lint_add_data(&operation, &watched->gets, true);
    return operation;
}

static void lint_check_memory(const struct call *call, const struct lint_operation *operation)
{
    const struct lint_operation *other = lint_overlap(operation);
    if (other != NULL)
        lint_find(call, MPROF_LINT_OVERLAP, other->line, NULL);
    else if (lint_overlaps_itself(operation))
        lint_find(call, MPROF_LINT_OVERLAP, lint_line(call), NULL);
}

/* To or from MPI_PROC_NULL nothing is done. */
static bool lint_does_nothing(const struct watched *watched)
{
    return (watched->kind == WATCHED_SEND && watched->dest == MPI_PROC_NULL) ||
           (watched->kind == WATCHED_RECEIVE && watched->source == MPI_PROC_NULL);
}

static struct mprof_lint_step lint_step_of(const struct watched *watched, const struct call *call)
{
    if (watched->kind == WATCHED_SEND)
        return lint_send(watched, call);
    return watched->kind == WATCHED_RECEIVE ? lint_receive(watched, call)
                                            : lint_collective(watched);
}

/* A call that starts something or prepares it. */
static void lint_note_started(const struct watched *watched, const struct call *call)
{
    const bool is_known = watched->kind == WATCHED_SEND || watched->kind == WATCHED_RECEIVE ||
                          watched->kind == WATCHED_COLLECTIVE;
    if (!is_known || watched->requests == NULL) {
        lint_end_steps();
        return;
    }
    if (lint_does_nothing(watched) || *watched->requests == MPI_REQUEST_NULL)
        return;
    struct lint_operation *operation = lint_new_operation();
    if (operation == NULL)
        return;
    *operation = lint_memory(watched, call);
    operation->request = HANDLE(*watched->requests);
    operation->pattern = lint_step_of(watched, call);
    operation->receives = watched->kind == WATCHED_RECEIVE;
    operation->comm = operation->receives ? comm_keep(call->comm) : NULL;
    operation->is_persistent = watched->persistent;
    if (watched->persistent)
        return;
    operation->is_active = true;
    operation->step = lint_note(call, &operation->pattern);
    lint_check_memory(call, operation);
}

static void lint_note_starts(const struct watched *watched, const struct call *call)
{
    for (MPI_Count i = 0; i < watched->request_count; i++) {
        struct lint_operation *operation = lint_operation_of(HANDLE(watched->requests[i]));
        if (operation == NULL || !operation->is_persistent)
            continue;
        operation->is_active = true;
        operation->line = lint_line(call);
        operation->step = lint_note(call, &operation->pattern);
        lint_check_memory(call, operation);
    }
}

static void lint_note_completed(const struct call *call, uint64_t request, const MPI_Status *status,
                                bool was_waited_for)
{
    struct lint_operation *operation = lint_operation_of(request);
    if (operation == NULL)
        return;
    struct mprof_lint_step step = lint_completion(operation->step, was_waited_for);
    if (operation->receives && lint_has_status(status))
        lint_learn_message(&step, call, operation->comm, status);
    else
        step.rank = MPROF_RANK_OUTSIDE;
    if (operation->is_active && operation->step != 0)
        lint_note(call, &step);
    operation->is_active = false;
    operation->step = 0;
    if (!operation->is_persistent)
        lint_drop_operation(operation);
}

/* Which requests ended, by what the call told. */
static void lint_note_completions(const struct watched *watched, const struct call *call)
{
    const bool told_one = watched->indices != NULL && watched->index_count == NULL;
    if (watched->flag != NULL && *watched->flag == 0)
        return;
    MPI_Count ended = lint_request_count;
    if (watched->indices != NULL)
        ended = told_one ? 1 : *watched->index_count;
    for (MPI_Count i = 0; i < ended; i++) {
        const MPI_Count position = watched->indices != NULL ? watched->indices[i] : i;
        const MPI_Status *status = watched->statuses;
        if (position < 0 || position >= lint_request_count)
            continue;
        if (lint_has_status(status) && !told_one)
            status += i;
        lint_note_completed(call, lint_requests[position], status,
                            watched->indices == NULL && watched->flag == NULL);
    }
}

static void lint_note_freed(void)
{
    struct lint_operation *operation =
        lint_request_count > 0 ? lint_operation_of(lint_requests[0]) : NULL;
    if (operation != NULL)
        lint_drop_operation(operation);
}

/* A receive that is cancelled stays one that never completes, and may have taken a message. A send
 * may not have been one. */
static void lint_note_cancelled(const struct watched *watched)
{
    struct lint_operation *operation = lint_operation_of(HANDLE(*watched->requests));
    if (operation != NULL && operation->receives && !operation->is_persistent)
        lint_drop_operation(operation);
    else
        lint_end_steps();
}

static void lint_note_call(const struct watched *watched, const struct call *call)
{
    struct mprof_lint_step step;
    if (watched->nonblocking || watched->persistent) {
        lint_note_started(watched, call);
        return;
    }
    switch (watched->kind) {
    case WATCHED_SEND:
        step = lint_send(watched, call);
        step.flags |= MPROF_LINT_BLOCKS;
        if (watched->dest != MPI_PROC_NULL)
            lint_note(call, &step);
        break;
    case WATCHED_RECEIVE:
        lint_note_received(watched, call, lint_receive(watched, call));
        break;
    case WATCHED_MATCHED_RECEIVE:
        lint_note_received(
            watched, call,
            (struct mprof_lint_step){.kind = MPROF_LINT_RECEIVE, .flags = MPROF_LINT_MATCHED});
        break;
    case WATCHED_SENDRECV:
        lint_note_sendrecv(watched, call);
        break;
    case WATCHED_COLLECTIVE:
    case WATCHED_MAKER:
        step = lint_collective(watched);
        step.flags |= MPROF_LINT_BLOCKS;
        lint_note(call, &step);
        break;
    default:
        break;
    }
}

/* What a blocking call reads and writes, against what is pending. */
static void lint_check_call(const struct watched *watched, const struct call *call)
{
    const bool has_data = watched->gives.blocks + watched->gets.blocks > 0;
    if (!has_data || watched->nonblocking || watched->persistent || lint_does_nothing(watched))
        return;
    const struct lint_operation operation = lint_memory(watched, call);
    lint_check_memory(call, &operation);
}

static void lint_note_error(const struct call *call, int outcome)
{
    char text[LINT_ERROR_BYTES] = "";
    int length = 0;
    int class = outcome;
    PMPI(MPI_Error_class)(outcome, &class);
    PMPI(MPI_Error_string)(class, text, &length);
    text[sizeof text - 1] = '\0';
    lint_find(call, MPROF_LINT_ERROR, (struct lint_other){0, 0}, text);
}

/* ---- the watcher --------------------------------------------------------------------------------
 */

static void lint_keep_requests(const struct watched *watched)
{
    lint_request_count = watched->requests != NULL ? watched->request_count : 0;
    if (lint_request_count > LINT_REQUESTS) {
        lint_end_steps();
        lint_request_count = 0;
    }
    for (MPI_Count i = 0; i < lint_request_count; i++)
        lint_requests[i] = HANDLE(watched->requests[i]);
}

static void lint_before(struct watched *watched, struct call *call)
{
    const bool others = lint_enter();
    if (others && record.run->thread_level == 2)
        lint_find(call, MPROF_LINT_AT_ONCE, (struct lint_other){0, 0}, NULL);
    const bool ends = watched->kind == WATCHED_COMPLETION || watched->kind == WATCHED_FREE;
    if (ends && lint_is_noting(call))
        lint_keep_requests(watched);
}

static void lint_note_success(const struct watched *watched, const struct call *call)
{
    switch (watched->kind) {
    case WATCHED_COMPLETION:
        lint_note_completions(watched, call);
        break;
    case WATCHED_START:
        lint_note_starts(watched, call);
        break;
    case WATCHED_FREE:
        lint_note_freed();
        break;
    case WATCHED_CANCEL:
        lint_note_cancelled(watched);
        break;
    case WATCHED_PROBE:
        break;
    default:
        lint_check_call(watched, call);
        lint_note_call(watched, call);
    }
}

static void lint_after(struct watched *watched, struct call *call, int outcome)
{
    if (outcome != 0)
        lint_note_error(call, outcome);
    if (lint_is_noting(call)) {
        if (outcome == 0)
            lint_note_success(watched, call);
        else if (watched->kind == WATCHED_COMPLETION)
            lint_end_steps(); /* some of the requests may have ended */
    }
    lint_leave();
}

#endif
