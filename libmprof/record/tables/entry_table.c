/* The entry table: calls by function, size, region, communicator and callsite (recorder.h).
 *
 * A call costs one hash, one or two probes of one cache line each, and five additions. When both
 * the table and the arena are full, the rows that weigh least lose detail (entry_fold.c); what is
 * new is still recorded exactly. If even that makes no room, only the function, region and
 * communicator of each call are kept from then on, and at last only the function.
 */
#include "record/tables/entry_table.h"

#include "base/clock.h"
#include "base/private_memory.h"
#include "record/state/record.h"
#include "record/tables/entry_rows.h"

/* The key at the recorder's level of detail. */
static struct entry_key fold_key(const struct recorder *recorder, const struct entry_key *key)
{
    static const uint64_t function_and_kind = UINT16_MAX | (uint64_t)UINT8_MAX << KIND_SHIFT;
    if (recorder->precision != MPROF_PRECISION_FUNCTION)
        return *key;
    return (struct entry_key){.word = recorder->function_alone ? key->word & function_and_kind
                                                               : key->word};
}

static void make_room(struct recorder *recorder)
{
    if (recorder->live == NULL || entry_table_grow(recorder))
        return;
    if (!recorder->function_alone)
        entries_fold(recorder);
}

/* For what cannot be kept anywhere; never read. */
static struct mprof_entry lost;

static __attribute__((noinline)) struct mprof_entry *new_entry(struct recorder *recorder,
                                                               const struct entry_key *key)
{
    if (recorder->entry_count >= recorder->entry_limit)
        make_room(recorder);
    struct entry_key folded = fold_key(recorder, key);
    struct mprof_entry *entry =
        entry_probe(recorder->entries, recorder->entry_mask, folded.size,
                    entry_key_word(&folded, recorder->precision), folded.callsite);
    if (entry->in_use == 0 && recorder->entry_count >= recorder->entry_mask) {
        /* One slot must stay empty, or probing would not end. */
        uint8_t kind = (uint8_t)(key->word >> KIND_SHIFT);
        recorder->live->lost_calls += kind == MPROF_KIND_CALL || kind == MPROF_KIND_PENDING;
        return &lost;
    }
    if (entry->in_use == 0) {
        entry_set_key(entry, &folded, recorder->precision);
        recorder->entry_count++;
    }
    return entry;
}

struct mprof_entry *entry_far(struct recorder *recorder, const struct entry_key *key)
{
    struct entry_key folded = *key;
    if (__builtin_expect(recorder->precision != MPROF_PRECISION_EXACT, 0))
        folded = fold_key(recorder, key);
    struct mprof_entry *entry =
        entry_probe(recorder->entries, recorder->entry_mask, folded.size,
                    entry_key_word(&folded, recorder->precision), folded.callsite);
    if (__builtin_expect(entry->in_use == 0, 0))
        entry = new_entry(recorder, key);
    return entry;
}

struct mprof_entry *entry_far_to_remember(struct recorder *recorder, struct entry_key key,
                                          enum mprof_entry_kind kind, struct mprof_entry **place)
{
    key.word += (uint64_t)kind << KIND_SHIFT;
    struct mprof_entry *entry = entry_far(recorder, &key);
    if (entry->size == key.size && word_at(&entry->function) == key.word)
        *place = entry;
    return entry;
}

/* No call has this size. */
static struct mprof_entry no_entry = {.size = UINT64_MAX};

void request_rows_begin(struct request_rows *rows, const struct entry_key *key)
{
    rows->word = key->word;
    rows->callsite = key->callsite;
    rows->pending = rows->arrived = rows->completed = &no_entry;
}

struct mprof_entry *record_call(struct recorder *recorder, const struct entry_key *key,
                                uint64_t ticks)
{
    if (!recorder_lock(recorder)) {
        count_loss(&recorder->live->lost_calls);
        return &lost;
    }
    struct mprof_entry *entry = entry_far(recorder, key);
    entry_add(entry, key->size, ticks);
    if (recorder->precision != MPROF_PRECISION_EXACT) {
        recorder->live->folded_calls++;
        recorder->live->folded_callsites += key->callsite != 0;
        if (recorder->function_alone)
            entry_keep_sums(key, 1, key->size, ticks);
    }
    recorder_unlock(recorder);
    return entry;
}

void record_messages(struct recorder *recorder, const struct entry_key *key, uint64_t messages,
                     uint64_t bytes)
{
    if (!recorder_lock(recorder))
        return;
    struct mprof_entry *entry = entry_far(recorder, key);
    entry->calls += messages;
    entry->bytes += bytes;
    if (recorder->function_alone)
        entry_keep_sums(key, messages, bytes, 0);
    recorder_unlock(recorder);
}

uint64_t recorder_cost(void)
{
    enum { SAMPLES = 31, CALLS = 64, CAPACITY = 64 };
    struct trial {
        struct recorder recorder;
        struct mprof_entry table[CAPACITY];
    } *trial = map_private(sizeof *trial);
    uint64_t cost[SAMPLES];
    if (trial == NULL)
        return 0;
    trial->recorder.entries = trial->table;
    trial->recorder.entry_mask = CAPACITY - 1;
    trial->recorder.entry_limit = CAPACITY;
    for (int sample = 0; sample < SAMPLES; sample++) {
        uint64_t begin = clock_ticks();
        for (uint64_t call = 0; call < CALLS; call++) {
            struct entry_key key = {.size = call % 8 * 8, .word = call % 4};
            uint64_t start = clock_ticks();
            record_call(&trial->recorder, &key, clock_ticks() - start);
        }
        cost[sample] = (clock_ticks() - begin) / CALLS;
    }
    unmap_memory(trial, sizeof *trial);
    return clock_median(cost, SAMPLES);
}
