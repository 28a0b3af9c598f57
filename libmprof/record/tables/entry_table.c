/* The entry table: calls by function, size, region, communicator and callsite (recorder.h).
 *
 * A call costs one hash, one or two probes of one cache line each, and five additions. When the
 * table is full and the arena, too, the rows that weigh least lose detail (entry_fold.c); what is
 * new is still recorded exactly. If even that makes no room, only the function, region and
 * communicator of each call are kept from then on, and at last only the function.
 */
#include "base/locks/lock.h"
#include "record/losses.h"
#include "record/tables/tables.h"
#include "store/arena.h"

enum { LOAD_NUMERATOR = 3, LOAD_DENOMINATOR = 4 };

static uint64_t key_word(const struct entry_key *key, uint8_t precision)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): 2 << 56 fits */
    return key->word | (uint64_t)precision << PRECISION_SHIFT;
}

/* The key at the recorder's level of detail. */
static struct entry_key fold_key(const struct recorder *recorder, const struct entry_key *key)
{
    static const uint64_t function_and_kind = UINT16_MAX | (uint64_t)UINT8_MAX << KIND_SHIFT;
    if (recorder->precision != MPROF_PRECISION_FUNCTION)
        return *key;
    return (struct entry_key){.word = recorder->function_alone ? key->word & function_and_kind
                                                               : key->word};
}

void entry_prefetch(const struct recorder *recorder, const struct entry_key *key)
{
    uint32_t at = entry_hash(key->size, key->word, key->callsite) & recorder->entry_mask;
    __builtin_prefetch(&recorder->entries[at], 1);
}

static void set_key(struct mprof_entry *entry, const struct entry_key *key, uint8_t precision)
{
    entry->size = key->size;
    entry->function = (uint16_t)key->word;
    entry->region = (uint16_t)(key->word >> 16);
    entry->communicator = (uint16_t)(key->word >> 32);
    entry->kind = (uint8_t)(key->word >> KIND_SHIFT);
    entry->precision = precision;
    entry->callsite = key->callsite;
    if (entry->kind != MPROF_KIND_COMPLETION) /* which has no extremes */
        entry->min_ticks = UINT64_MAX;
    /* Last: a reader of the live file sees a whole key or none. */
    __atomic_store_n(&entry->in_use, 1, __ATOMIC_RELEASE);
}

static void add_entry(struct mprof_entry *to, const struct mprof_entry *from)
{
    to->calls += from->calls;
    to->bytes += from->bytes;
    to->ticks += from->ticks;
    if (from->kind == MPROF_KIND_COMPLETION) {
        to->span_ticks += from->span_ticks;
        to->span_mpi_ticks += from->span_mpi_ticks;
        return;
    }
    if (from->min_ticks < to->min_ticks)
        to->min_ticks = from->min_ticks;
    if (from->max_ticks > to->max_ticks)
        to->max_ticks = from->max_ticks;
}

uint32_t entry_home(const struct recorder *recorder, const struct mprof_entry *row)
{
    return entry_hash(row->size, word_at(&row->function), row->callsite) & recorder->entry_mask;
}

/* False if the row was there. */
static bool put(struct mprof_entry *entries, uint32_t mask, const struct mprof_entry *row)
{
    struct entry_key key = {.size = row->size, .callsite = row->callsite};
    key.word = entry_word(row->function, row->region, row->communicator, row->kind);
    struct mprof_entry *entry =
        entry_probe(entries, mask, key.size, key_word(&key, row->precision), key.callsite);
    bool is_new = entry->in_use == 0;
    if (is_new)
        set_key(entry, &key, row->precision);
    add_entry(entry, row);
    return is_new;
}

void entry_put(struct recorder *recorder, const struct mprof_entry *row)
{
    recorder->entry_count += put(recorder->entries, recorder->entry_mask, row);
}

/* The rows of the old table are forgotten. */
static void use_table(struct recorder *recorder, struct mprof_entry *entries, uint32_t capacity,
                      uint32_t section)
{
    recorder->entries = entries;
    recorder->entry_mask = capacity - 1;
    recorder->entry_limit = capacity / LOAD_DENOMINATOR * LOAD_NUMERATOR;
    /* One store switches a reader of the live file from the old table to the new one. */
    __atomic_store_n(&recorder->live->entries_section, section, __ATOMIC_RELEASE);
}

static struct mprof_entry *allocate_table(const struct recorder *recorder, uint32_t capacity,
                                          bool essential, uint32_t *section)
{
    return arena_allocate(MPROF_SECTION_ENTRIES, recorder->number,
                          capacity * sizeof(struct mprof_entry), sizeof(struct mprof_entry),
                          essential, section);
}

bool entry_table_open(struct recorder *recorder, bool essential)
{
    uint32_t section;
    struct mprof_entry *entries = allocate_table(recorder, FIRST_ENTRIES, essential, &section);
    if (entries == NULL)
        return false;
    recorder_forget_rows(recorder);
    use_table(recorder, entries, FIRST_ENTRIES, section);
    return true;
}

static bool move_to_new(struct recorder *recorder, uint32_t capacity)
{
    uint32_t section;
    struct mprof_entry *entries = allocate_table(recorder, capacity, false, &section);
    if (entries == NULL)
        return false;
    uint32_t old_section = recorder->live->entries_section;
    recorder_forget_rows(recorder); /* first: whoever leaves here goes on with the old table */
    for (uint32_t i = 0; i <= recorder->entry_mask; i++)
        if (recorder->entries[i].in_use != 0)
            put(entries, capacity - 1, &recorder->entries[i]);
    use_table(recorder, entries, capacity, section);
    IN_ORDER();
    arena_free(old_section);
    return true;
}

/* The space that it frees and the free space next to it may be large enough together. */
static bool move_away(struct recorder *recorder)
{
    uint32_t section;
    uint32_t old_section = recorder->live->entries_section;
    struct mprof_entry *entries = arena_copy_away(old_section, &section);
    if (entries == NULL)
        return false;
    recorder_forget_rows(recorder);
    use_table(recorder, entries, recorder->entry_mask + 1, section);
    arena_free(old_section);
    return true;
}

static bool grow(struct recorder *recorder)
{
    uint32_t capacity = (recorder->entry_mask + 1) * 2;
    return move_to_new(recorder, capacity) ||
           (move_away(recorder) && move_to_new(recorder, capacity));
}

static void make_room(struct recorder *recorder)
{
    if (recorder->live == NULL || grow(recorder))
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
                    key_word(&folded, recorder->precision), folded.callsite);
    if (entry->in_use == 0 && recorder->entry_count >= recorder->entry_mask) {
        /* One slot must stay empty, or probing would not end. */
        uint8_t kind = (uint8_t)(key->word >> KIND_SHIFT);
        recorder->live->lost_calls += kind == MPROF_KIND_CALL || kind == MPROF_KIND_PENDING;
        return &lost;
    }
    if (entry->in_use == 0) {
        set_key(entry, &folded, recorder->precision);
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
                    key_word(&folded, recorder->precision), folded.callsite);
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
    recorder_unlock(recorder);
}
