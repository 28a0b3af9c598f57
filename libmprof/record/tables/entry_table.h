/* The entry table: what one call, one message or one completed request adds to it (entry_rows.h).
 *
 * When there is no room for a larger table, rows lose detail (entry_fold.c); the sums stay exact.
 * Called by calls/ and wrap/. The record_... functions that are not inline take the lock of a
 * recorder that threads share; around the inline ones the caller does.
 */
#ifndef MPROF_ENTRY_TABLE_H
#define MPROF_ENTRY_TABLE_H

#include "record/tables/entry_rows.h"

/* One call that took `ticks`. Returns its entry. */
struct mprof_entry *record_call(struct recorder *recorder, const struct entry_key *key,
                                uint64_t ticks);

/* `messages` that carried `bytes` and no time of their own (kinds START and RECEIVED). */
void record_messages(struct recorder *recorder, const struct entry_key *key, uint64_t messages,
                     uint64_t bytes);

/* Median cost in ticks of recording one call, measured on a table of its own. */
uint64_t recorder_cost(void);

/* Found by its hash, or made. */
struct mprof_entry *entry_far(struct recorder *recorder, const struct entry_key *key);

/* The same, and remembers it in `*place` if the row is that of the key, not one of less detail. */
struct mprof_entry *entry_far_to_remember(struct recorder *recorder, struct entry_key key,
                                          enum mprof_entry_kind kind, struct mprof_entry **place);

/* ---- less detail (entry_fold.c) -------------------------------------------------------------- */

/* Makes room by less detail in the rows that weigh least. The rows move. */
void entries_fold(struct recorder *recorder);

/* What is recorded under this key's function alone is kept for its region and its communicator. */
void entry_keep_sums(const struct entry_key *key, uint64_t calls, uint64_t bytes, uint64_t ticks);

/* ---- requests -------------------------------------------------------------------------------- */

/* `kind` distinguishes requests or messages of one line; without callsites all lines are one. Lines
 * that follow each other have numbers that do so: 37 keeps their kinds apart as well. */
static HOT struct request_rows *request_rows_at(struct recorder *recorder, uint32_t callsite,
                                                uint32_t kind)
{
    return &recorder->request_rows[(callsite + kind * 37u) % REQUEST_ROWS];
}

/* Nothing is known of this line's requests yet. */
void request_rows_begin(struct request_rows *rows, const struct entry_key *key);

/* The rows for the requests of a call with this key. */
static HOT struct request_rows *rows_of_requests(struct recorder *recorder,
                                                 const struct entry_key *key)
{
    struct request_rows *rows = request_rows_at(recorder, key->callsite, (uint16_t)key->word);
    if (__builtin_expect(rows->word != key->word || rows->callsite != key->callsite, 0))
        request_rows_begin(rows, key);
    return rows;
}

/* The entry of this kind and size. `*place` remembers it. */
static HOT struct mprof_entry *request_entry(struct recorder *recorder, const struct entry_key *key,
                                             enum mprof_entry_kind kind, struct mprof_entry **place)
{
    struct mprof_entry *entry = *place;
    if (__builtin_expect(entry->size == key->size, 1))
        return entry;
    return entry_far_to_remember(recorder, *key, kind, place);
}

/* A call recorded as PENDING is now known to have moved `size` bytes. First out, then in: a kill in
 * between loses the call, it never shows it twice. */
static HOT void record_arrival(struct recorder *recorder, struct entry_key key, uint64_t size,
                               uint64_t ticks)
{
    struct request_rows *rows = rows_of_requests(recorder, &key);
    key.size = 0;
    struct mprof_entry *pending = request_entry(recorder, &key, MPROF_KIND_PENDING, &rows->pending);
    pending->calls--;
    pending->ticks -= ticks;
    key.size = size;
    entry_add(request_entry(recorder, &key, MPROF_KIND_CALL, &rows->arrived), size, ticks);
    if (__builtin_expect(recorder->function_alone, 0))
        entry_keep_sums(&key, 0, size, 0); /* the call itself was one when it was pending */
}

/* What a completing call gives back to the call that started the request (kind COMPLETION). */
struct completion {
    uint64_t ticks;      /* share of the completing call */
    uint64_t span_ticks; /* from the end of the starting call to the start of the completing one */
    uint64_t span_mpi_ticks; /* of the span, in MPI calls */
};

/* A completion whose span is not known, because the request began on another thread. */
static HOT void record_completion_elsewhere(struct recorder *recorder, struct entry_key key,
                                            uint64_t ticks)
{
    struct request_rows *rows = rows_of_requests(recorder, &key);
    struct mprof_entry *entry =
        request_entry(recorder, &key, MPROF_KIND_COMPLETION, &rows->completed);
    entry->calls++;
    entry->bytes++;
    entry->ticks += ticks;
}

static HOT void record_completion(struct recorder *recorder, struct entry_key key,
                                  const struct completion *completion)
{
    struct request_rows *rows = rows_of_requests(recorder, &key);
    struct mprof_entry *entry =
        request_entry(recorder, &key, MPROF_KIND_COMPLETION, &rows->completed);
    entry->calls++;
    entry->ticks += completion->ticks;
    entry->span_ticks += completion->span_ticks;
    entry->span_mpi_ticks += completion->span_mpi_ticks;
}

#endif
