/* The three hash tables of a recorder, for recorder.c, which opens them. All lie in the arena,
 * probe linearly, double while the arena has room, and fold detail when it has not. */
#ifndef MPROF_TABLES_H
#define MPROF_TABLES_H

#include <string.h>

#include "recorder.h"

/* The first words of a row as one number; both machines are little-endian. */
static inline uint64_t word_at(const void *field)
{
    uint64_t word;
    memcpy(&word, field, sizeof word);
    return word;
}

/* The entry where it was the last time, or NULL: most lines of a program make the same call with
 * the same size again and again. */
static inline struct mprof_entry *entry_near(const struct recorder *recorder,
                                             const struct entry_key *key, uint32_t hint)
{
    struct mprof_entry *entry = &recorder->entries[hint & recorder->entry_mask];
    bool same = entry->size == key->size && word_at(&entry->function) == key->word &&
                entry->callsite == key->callsite && entry->in_use != 0;
    return same ? entry : NULL;
}

static inline struct mprof_segment *segment_near(const struct recorder *recorder,
                                                 const struct segment_key *key, uint32_t hint)
{
    struct mprof_segment *segment = &recorder->segments[hint & recorder->segment_mask];
    bool same = word_at(&segment->from_callsite) == key->sites &&
                word_at(&segment->from_function) == key->functions;
    return same ? segment : NULL;
}

static inline void entry_add(struct mprof_entry *entry, uint64_t size, uint64_t ticks)
{
    entry->calls++;
    entry->bytes += size;
    entry->ticks += ticks;
    entry->min_ticks = ticks < entry->min_ticks ? ticks : entry->min_ticks;
    entry->max_ticks = ticks > entry->max_ticks ? ticks : entry->max_ticks;
}

bool entry_table_open(struct recorder *recorder, size_t reserve_bytes);
bool partner_table_open(struct recorder *recorder);
bool segment_table_open(struct recorder *recorder);

#endif
