/* The rows of the entry table of a recorder: calls by function, size, region, communicator and
 * callsite (state/recorder.h). Probed linearly, doubled while the arena has room, at most 3/4 full;
 * where it has none, rows lose detail.
 *
 * What is inline here is what a call costs when nothing is new. A row's key is two or three 64-bit
 * words, in_use among them, and so is compared in two or three instructions. entry_fold.c and
 * entry_table.c use it, on the recorder's own thread or with its lock held.
 */
#ifndef MPROF_ENTRY_ROWS_H
#define MPROF_ENTRY_ROWS_H

#include "base/hot.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

/* What an entry is found by. */
struct entry_key {
    uint64_t size;
    uint64_t word; /* entry_word() */
    uint32_t callsite;
};

static HOT uint32_t entry_hash(uint64_t size, uint64_t word, uint32_t callsite)
{
    uint64_t hash = (size + (uint64_t)callsite * 0x9e3779b97f4a7c15u) ^ word * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)((hash * 0x9e3779b97f4a7c15u) >> 32);
}

static HOT bool is_entry(const void *row, const void *wanted)
{
    const struct mprof_entry *entry = (const struct mprof_entry *)row;
    const struct entry_key *key = (const struct entry_key *)wanted;
    return entry->in_use == 0 ||
           (entry->size == key->size && word_at(&entry->function) == key->word &&
            entry->callsite == key->callsite);
}

/* The entry of this key, or the empty slot where it belongs. */
static HOT struct mprof_entry *entry_probe(struct mprof_entry *entries, uint32_t mask,
                                           uint64_t size, uint64_t word, uint32_t callsite)
{
    const struct entry_key key = {size, word, callsite};
    return (struct mprof_entry *)row_probe(entries, sizeof *entries, mask,
                                           entry_hash(size, word, callsite), is_entry, &key);
}

/* NULL = there is none, or not with all its detail. */
static HOT struct mprof_entry *entry_find(const struct recorder *recorder,
                                          const struct entry_key *key)
{
    struct mprof_entry *entry =
        entry_probe(recorder->entries, recorder->entry_mask, key->size, key->word, key->callsite);
    return entry->in_use != 0 ? entry : NULL;
}

/* Where the row's hash says it is. */
uint32_t entry_home(const struct recorder *recorder, const struct mprof_entry *row);

/* Adds a row to the row of its key. There must be room. */
void entry_put(struct recorder *recorder, const struct mprof_entry *row);

/* An empty row becomes the row of this key. */
void entry_set_key(struct mprof_entry *entry, const struct entry_key *key, uint8_t precision);

/* key->word with the precision, as entry_probe() wants it. */
static inline uint64_t entry_key_word(const struct entry_key *key, uint8_t precision)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): 2 << 56 fits */
    return key->word | (uint64_t)precision << PRECISION_SHIFT;
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

/* The row of this key comes into the cache, if it is where its hash says. */
void entry_prefetch(const struct recorder *recorder, const struct entry_key *key);

/* Rows of a new table: more than there are MPI functions, so that function totals always fit. */
enum { FIRST_ENTRIES = 1024 };

/* `essential`: may take of the arena's reserve. */
bool entry_table_open(struct recorder *recorder, bool essential);

/* Twice the rows. All move, and what remembers where they were is forgotten first. False = no room.
 */
bool entry_table_grow(struct recorder *recorder);

/* The rows move, or the table is new: the thread's paths and requests search theirs anew. */
void entry_rows_forget(struct recorder *recorder);

#endif
