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

#include "hot.h"
#include "recorder.h"

/* Fields of a row as one number; both machines are little-endian. */
static HOT uint64_t word_at(const void *field)
{
    uint64_t word;
    memcpy(&word, field, sizeof word);
    return word;
}

/* `kind` tells requests or messages of one line apart; without callsites all lines are one. Lines
 * that follow each other have numbers that do: 37 keeps their kinds apart, too. */
static HOT struct site *site_of(struct recorder *recorder, uint32_t callsite, uint32_t kind)
{
    return &recorder->sites[(callsite + kind * 37u) % SITES];
}

/* ---- entries --------------------------------------------------------------------------------- */

/* Found by its hash, or made. */
struct mprof_entry *entry_far(struct recorder *recorder, const struct entry_key *key);

/* The same, and remembers it in `*place` if the row is that of the key, not one of less detail. */
struct mprof_entry *entry_far_to_remember(struct recorder *recorder, struct entry_key key,
                                          enum mprof_entry_kind kind, struct mprof_entry **place);

/* Nothing is known of this line's requests yet. */
void site_begin(struct site *site, const struct entry_key *key);

/* The site of requests that a call with this key started. */
static HOT struct site *request_site(struct recorder *recorder, const struct entry_key *key)
{
    struct site *site = site_of(recorder, key->callsite, (uint16_t)key->word);
    if (__builtin_expect(site->word != key->word || site->callsite != key->callsite, 0))
        site_begin(site, key);
    return site;
}

/* The entry of this kind and size of the requests of a site, which remembers it in `*place`. */
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

/* A call whose detail was lost, for the report. */
void entry_count_folded(struct recorder *recorder);

/* A call recorded as PENDING is now known to have moved `size` bytes. First out, then in: a kill in
 * between loses the call, it never shows it twice. */
static HOT void record_arrival(struct recorder *recorder, struct entry_key key, uint64_t size,
                               uint64_t ticks)
{
    struct site *site = request_site(recorder, &key);
    key.size = 0;
    struct mprof_entry *pending = request_entry(recorder, &key, MPROF_KIND_PENDING, &site->pending);
    pending->calls--;
    pending->ticks -= ticks;
    key.size = size;
    entry_add(request_entry(recorder, &key, MPROF_KIND_CALL, &site->arrived), size, ticks);
    if (__builtin_expect(recorder->precision != MPROF_PRECISION_EXACT, 0))
        entry_count_folded(recorder);
}

/* What a completing call gives back to the call that started the request (kind COMPLETION). */
struct completion {
    uint64_t ticks;      /* share of the completing call */
    uint64_t span_ticks; /* from the end of the starting call to the begin of the completing one */
    uint64_t span_mpi_ticks; /* of the span, in MPI calls */
};

static HOT void record_completion(struct recorder *recorder, struct entry_key key,
                                  const struct completion *completion)
{
    struct site *site = request_site(recorder, &key);
    struct mprof_entry *entry =
        request_entry(recorder, &key, MPROF_KIND_COMPLETION, &site->completed);
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
