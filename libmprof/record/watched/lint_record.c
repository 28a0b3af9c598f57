/* What mprof lint needs beyond a profile (lint_record.h). Steps and finds are in the record;
 * operations that are pending are in private memory, of one thread. */
#include "record/watched/lint_record.h"

#include <string.h>

#include "base/hot.h"
#include "base/lock.h"
#include "base/options.h"
#include "store/arena.h"

enum { PIECE_STEPS = 512, FINDS = 128, OPERATIONS = 512 };

static struct piece_table steps =
    PIECE_TABLE(MPROF_SECTION_LINT_STEPS, struct mprof_lint_step, PIECE_STEPS);

static struct {
    struct mprof_lint *record;    /* NULL = nothing is kept */
    const struct recorder *owner; /* of the steps; NULL = nobody yet */
    bool has_ended;               /* read and written by all threads */
    uint32_t count;               /* of steps */
    uint32_t operations;          /* places that were ever in use */
    struct lint_operation *pending;
    struct mprof_lint_find *finds; /* FINDS of them, or NULL */
    struct lock lock;              /* of the finds */
    int inside;                    /* threads in calls of MPI */
} lint;

static SELDOM struct lint_operation pending_operations[OPERATIONS];
static __thread bool is_inside;

void lint_open(void)
{
    uint32_t index;
    if (options.lint == 0)
        return;
    lint.pending = pending_operations;
    lint.record = arena_allocate(MPROF_SECTION_LINT, 0, sizeof *lint.record, sizeof *lint.record,
                                 false, &index);
    lint.finds = arena_allocate(MPROF_SECTION_LINT_FINDS, 0, FINDS * sizeof *lint.finds,
                                sizeof *lint.finds, false, &index);
    if (lint.record == NULL)
        return;
    lint.record->in_use = 1;
}

/* ---- steps --------------------------------------------------------------------------------------
 */

void lint_end_steps(void)
{
    __atomic_store_n(&lint.has_ended, true, __ATOMIC_RELAXED);
    if (lint.record != NULL)
        lint.record->is_cut = 1;
}

bool lint_is_noting(const struct call *call)
{
    if (lint.record == NULL || __atomic_load_n(&lint.has_ended, __ATOMIC_RELAXED))
        return false;
    const struct recorder *nobody = NULL;
    const bool is_owner = __atomic_compare_exchange_n(&lint.owner, &nobody, call->recorder, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
                          nobody == call->recorder;
    if (is_owner && !call->recorder->shared)
        return true;
    lint_end_steps();
    return false;
}

uint32_t lint_note(const struct call *call, const struct mprof_lint_step *step)
{
    struct mprof_lint_step *record =
        lint.count < piece_capacity(&steps) ? piece_make(&steps, lint.count) : NULL;
    if (record == NULL) {
        lint_end_steps();
        return 0;
    }
    *record = *step;
    record->in_use = 0;
    record->function = call_function(call);
    record->callsite = call->path->callsite;
    record->communicator = call->comm != NULL ? call->comm->slot : (uint16_t)MPROF_COMM_SLOT_NONE;
    __atomic_store_n(&record->in_use, 1, __ATOMIC_RELEASE);
    return ++lint.count;
}

/* ---- finds --------------------------------------------------------------------------------------
 */

/* With the lock held: its row, or a free one, or NULL. */
static struct mprof_lint_find *row_of(const struct mprof_lint_find *wanted)
{
    for (uint32_t i = 0; lint.finds != NULL && i < FINDS; i++) {
        struct mprof_lint_find *row = &lint.finds[i];
        if (row->in_use == 0 ||
            (row->callsite == wanted->callsite && row->function == wanted->function &&
             row->kind == wanted->kind && row->other_callsite == wanted->other_callsite &&
             row->other_function == wanted->other_function))
            return row;
    }
    return NULL;
}

void lint_find(const struct call *call, enum mprof_lint_find_kind kind, struct lint_other other,
               const char *text)
{
    struct mprof_lint_find find = {.callsite = call->path->callsite,
                                   .function = call_function(call),
                                   .kind = (uint16_t)kind,
                                   .other_callsite = other.callsite,
                                   .other_function = other.function};
    if (text != NULL)
        strncpy(find.text, text, sizeof find.text - 1);
    if (!lock_take(&lint.lock))
        return;
    struct mprof_lint_find *row = row_of(&find);
    if (row != NULL && row->in_use == 0) {
        *row = find;
        __atomic_store_n(&row->in_use, 1, __ATOMIC_RELEASE);
    }
    if (row != NULL)
        row->count++;
    lock_give(&lint.lock);
}

/* ---- operations that are pending ----------------------------------------------------------------
 */

struct lint_operation *lint_new_operation(void)
{
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        struct lint_operation *operation = &lint.pending[i];
        if (operation->request != 0)
            continue;
        memset(operation, 0, sizeof *operation);
        lint.operations = lint.operations > i ? lint.operations : i + 1;
        return operation;
    }
    lint_end_steps();
    return NULL;
}

struct lint_operation *lint_operation_of(uint64_t request)
{
    struct lint_operation *found = NULL;
    bool is_shared = false;
    for (uint32_t i = 0; i < lint.operations; i++) {
        if (lint.pending[i].request != request)
            continue;
        is_shared = is_shared || found != NULL;
        found = &lint.pending[i];
    }
    if (!is_shared)
        return found;
    for (uint32_t i = 0; i < lint.operations; i++)
        if (lint.pending[i].request == request)
            lint_drop_operation(&lint.pending[i]);
    return NULL;
}

void lint_drop_operation(struct lint_operation *operation)
{
    if (operation->comm != NULL)
        comm_release(operation->comm);
    operation->request = 0;
    while (lint.operations > 0 && lint.pending[lint.operations - 1].request == 0)
        lint.operations--;
}

static bool do_clash(const struct lint_buffer *a, const struct lint_buffer *b)
{
    return (a->is_written || b->is_written) && a->begin < b->end && b->begin < a->end;
}

static bool uses_same_memory(const struct lint_operation *a, const struct lint_operation *b)
{
    for (uint8_t i = 0; i < a->buffer_count; i++)
        for (uint8_t j = 0; j < b->buffer_count; j++)
            if (do_clash(&a->buffers[i], &b->buffers[j]))
                return true;
    return false;
}

const struct lint_operation *lint_overlap(const struct lint_operation *operation)
{
    for (uint32_t i = 0; i < lint.operations; i++) {
        const struct lint_operation *other = &lint.pending[i];
        if (other != operation && other->request != 0 && other->is_active &&
            uses_same_memory(operation, other))
            return other;
    }
    return NULL;
}

bool lint_overlaps_itself(const struct lint_operation *operation)
{
    for (uint8_t i = 0; i < operation->buffer_count; i++)
        for (uint8_t j = (uint8_t)(i + 1); j < operation->buffer_count; j++)
            if (do_clash(&operation->buffers[i], &operation->buffers[j]))
                return true;
    return false;
}

/* ---- threads ------------------------------------------------------------------------------------
 */

bool lint_enter(void)
{
    if (is_inside) /* the program left the last call by a jump */
        return false;
    is_inside = true;
    return __atomic_fetch_add(&lint.inside, 1, __ATOMIC_ACQ_REL) > 0;
}

void lint_leave(void)
{
    if (is_inside)
        __atomic_fetch_sub(&lint.inside, 1, __ATOMIC_ACQ_REL);
    is_inside = false;
}

void lint_forget(void)
{
    memset(&lint, 0, sizeof lint);
    memset(pending_operations, 0, sizeof pending_operations);
    memset(steps.pieces, 0, sizeof steps.pieces);
    lint.lock = (struct lock){0};
    is_inside = false;
}
