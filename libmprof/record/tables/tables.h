/* The three hash tables of a recorder, for recorder.c, which opens them, and for the hot path,
 * which mostly finds the row that it wants where it was the last time. All lie in the arena, probe
 * linearly, double while the arena has room, and fold detail when it has not.
 *
 * What is inline here is what a call or a completed request costs when nothing is new; the rest is
 * out of line in entry_table.c, partner_table.c and segment_table.c. A row's key is two or three
 * 64-bit words, in_use among them, and so is compared in two or three instructions.
 */
#ifndef MPROF_TABLES_H
#define MPROF_TABLES_H

#include <string.h>

#include "base/hot.h"
#include "record/recorder.h"

/* Fields of a row as one number; both machines are little-endian. */
static HOT uint64_t word_at(const void *field)
{
    uint64_t word;
    memcpy(&word, field, sizeof word);
    return word;
}

/* `kind` tells requests or messages of one line apart; without callsites all lines are one. Lines
 * that follow each other have numbers that do: 37 keeps their kinds apart, too. */
static HOT struct request_rows *request_rows_at(struct recorder *recorder, uint32_t callsite,
                                                uint32_t kind)
{
    return &recorder->request_rows[(callsite + kind * 37u) % REQUEST_ROWS];
}

/* ---- entries --------------------------------------------------------------------------------- */

static HOT uint32_t entry_hash(uint64_t size, uint64_t word, uint32_t callsite)
{
    uint64_t hash = (size + (uint64_t)callsite * 0x9e3779b97f4a7c15u) ^ word * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)((hash * 0x9e3779b97f4a7c15u) >> 32);
}

/* The entry of this key, or the empty slot where it belongs. */
static HOT struct mprof_entry *entry_probe(struct mprof_entry *entries, uint32_t mask,
                                           uint64_t size, uint64_t word, uint32_t callsite)
{
    uint32_t at = entry_hash(size, word, callsite) & mask;
    for (;; at = (at + 1) & mask) {
        struct mprof_entry *entry = &entries[at];
        if (entry->in_use == 0 || (entry->size == size && word_at(&entry->function) == word &&
                                   entry->callsite == callsite))
            return entry;
    }
}

/* NULL = there is none, or not with all its detail. */
static HOT struct mprof_entry *entry_find(const struct recorder *recorder,
                                          const struct entry_key *key)
{
    struct mprof_entry *entry =
        entry_probe(recorder->entries, recorder->entry_mask, key->size, key->word, key->callsite);
    return entry->in_use != 0 ? entry : NULL;
}

/* Found by its hash, or made. */
struct mprof_entry *entry_far(struct recorder *recorder, const struct entry_key *key);

/* The same, and remembers it in `*place` if the row is that of the key, not one of less detail. */
struct mprof_entry *entry_far_to_remember(struct recorder *recorder, struct entry_key key,
                                          enum mprof_entry_kind kind, struct mprof_entry **place);

/* Where the row's hash says it is. */
uint32_t entry_home(const struct recorder *recorder, const struct mprof_entry *row);

/* Adds a row to the row of its key. There must be room. */
void entry_put(struct recorder *recorder, const struct mprof_entry *row);

/* Makes room by less detail in the rows that weigh least. The rows move. */
void entries_fold(struct recorder *recorder);

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

static HOT void entry_add(struct mprof_entry *entry, uint64_t size, uint64_t ticks)
{
    entry->calls++;
    entry->bytes += size;
    entry->ticks += ticks;
    if (__builtin_expect(ticks < entry->min_ticks, 0))
        entry->min_ticks = ticks;
    if (__builtin_expect(ticks > entry->max_ticks, 0))
        entry->max_ticks = ticks;
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
}

/* What a completing call gives back to the call that started the request (kind COMPLETION). */
struct completion {
    uint64_t ticks;      /* share of the completing call */
    uint64_t span_ticks; /* from the end of the starting call to the begin of the completing one */
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

/* ---- partners -------------------------------------------------------------------------------- */

static HOT bool partner_is(const struct mprof_partner *partner, uint64_t word, uint32_t callsite)
{
    return word_at(&partner->rank) == word && partner->callsite == callsite;
}

/* NULL = there is none. */
struct mprof_partner *partner_find(const struct recorder *recorder, enum mprof_partner_kind kind,
                                   uint32_t rank, uint32_t callsite);

/* ---- segments -------------------------------------------------------------------------------- */

/* NULL = there is none. */
struct mprof_segment *segment_find(const struct recorder *recorder, const struct segment_key *key);

/* ---- before they are needed -------------------------------------------------------------------
 */

/* The row of this key comes into the cache, if it is where its hash says. */
void entry_prefetch(const struct recorder *recorder, const struct entry_key *key);
void partner_prefetch(const struct recorder *recorder, enum mprof_partner_kind kind, uint32_t rank,
                      uint32_t callsite);
void segment_prefetch(const struct recorder *recorder, const struct segment_key *key);

/* Rows of a new recorder's tables: more entries than there are MPI functions, so that function
 * totals always fit. */
enum { FIRST_ENTRIES = 1024, FIRST_PARTNERS = 64, FIRST_SEGMENTS = 128 };

/* `essential`: may take of the arena's reserve. */
bool entry_table_open(struct recorder *recorder, bool essential);
bool partner_table_open(struct recorder *recorder, bool essential);
bool segment_table_open(struct recorder *recorder, bool essential);

#endif
