/* The rows of the entry table (entry_rows.h): where they are, and how the table moves. */
#include "record/tables/entry_rows.h"

#include "record/paths/path_cache.h"
#include "store/arena.h"

void entry_prefetch(const struct recorder *recorder, const struct entry_key *key)
{
    uint32_t at = entry_hash(key->size, key->word, key->callsite) & recorder->entry_mask;
    __builtin_prefetch(&recorder->entries[at], 1);
}

void entry_set_key(struct mprof_entry *entry, const struct entry_key *key, uint8_t precision)
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
static bool put_row(struct mprof_entry *entries, uint32_t mask, const struct mprof_entry *row)
{
    struct entry_key key = {.size = row->size, .callsite = row->callsite};
    key.word = entry_word(row->function, row->region, row->communicator, row->kind);
    struct mprof_entry *entry =
        entry_probe(entries, mask, key.size, entry_key_word(&key, row->precision), key.callsite);
    bool is_new = entry->in_use == 0;
    if (is_new)
        entry_set_key(entry, &key, row->precision);
    add_entry(entry, row);
    return is_new;
}

void entry_put(struct recorder *recorder, const struct mprof_entry *row)
{
    recorder->entry_count += put_row(recorder->entries, recorder->entry_mask, row);
}

void entry_rows_forget(struct recorder *recorder)
{
    for (int i = 0; i < REQUEST_ROWS; i++)
        recorder->request_rows[i].word = REQUEST_ROWS_UNKNOWN;
    paths_forget_rows();
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
    entry_rows_forget(recorder);
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
    entry_rows_forget(recorder); /* first: whoever leaves here goes on with the old table */
    for (uint32_t i = 0; i <= recorder->entry_mask; i++)
        if (recorder->entries[i].in_use != 0)
            put_row(entries, capacity - 1, &recorder->entries[i]);
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
    entry_rows_forget(recorder);
    use_table(recorder, entries, recorder->entry_mask + 1, section);
    arena_free(old_section);
    return true;
}

bool entry_table_grow(struct recorder *recorder)
{
    uint32_t capacity = (recorder->entry_mask + 1) * 2;
    return move_to_new(recorder, capacity) ||
           (move_away(recorder) && move_to_new(recorder, capacity));
}
