/* The entry table: calls by function, size, region, communicator and callsite (recorder.h).
 *
 * A call costs one hash, one or two probes of one cache line each, and five additions. Folding:
 * when the table is full and the arena, too, sizes become power-of-two bins; when even that does
 * not fit, only the function is kept. The level never goes back: `binned_calls` and `folded_calls`
 * count what was recorded with less detail.
 */
#include <sys/mman.h>

#include "arena.h"
#include "tables.h"

enum { LOAD_NUMERATOR = 3, LOAD_DENOMINATOR = 4 };

static uint64_t key_word(const struct entry_key *key, uint8_t precision)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): 2 << 56 fits */
    return key->word | (uint64_t)precision << PRECISION_SHIFT;
}

static uint32_t hash_key(uint64_t size, uint64_t word, uint32_t callsite)
{
    uint64_t hash = (size + (uint64_t)callsite * 0x9e3779b97f4a7c15u) ^ word * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)((hash * 0x9e3779b97f4a7c15u) >> 32);
}

static uint64_t bin_of(uint64_t size)
{
    return size == 0 ? 0 : 1ull << (63 - __builtin_clzll(size));
}

/* The key at the recorder's level of detail. */
static struct entry_key fold_key(const struct entry_key *key, uint8_t precision)
{
    struct entry_key folded = *key;
    if (precision == MPROF_PRECISION_BIN)
        folded.size = bin_of(key->size);
    if (precision == MPROF_PRECISION_FUNCTION)
        folded = (struct entry_key){.word = key->word &
                                            (UINT16_MAX | (uint64_t)UINT8_MAX << KIND_SHIFT)};
    return folded;
}

/* The entry of this key, or the empty slot where it belongs. */
static struct mprof_entry *probe(struct mprof_entry *entries, uint32_t mask, uint64_t size,
                                 uint64_t word, uint32_t callsite)
{
    uint32_t at = hash_key(size, word, callsite) & mask;
    for (;; at = (at + 1) & mask) {
        struct mprof_entry *entry = &entries[at];
        if (entry->in_use == 0 || (entry->size == size && word_at(&entry->function) == word &&
                                   entry->callsite == callsite))
            return entry;
    }
}

void entry_prefetch(const struct recorder *recorder, const struct entry_key *key)
{
    uint32_t at = hash_key(key->size, key->word, key->callsite) & recorder->entry_mask;
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

/* Enters all of `from` into the empty table `to`, at this precision; returns how many entries that
 * made. */
static uint32_t rehash(const struct mprof_entry *from, uint32_t from_mask, struct mprof_entry *to,
                       uint32_t to_mask, uint8_t precision)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= from_mask; i++) {
        const struct mprof_entry *old = &from[i];
        if (old->in_use == 0)
            continue;
        struct entry_key key = {.size = old->size, .callsite = old->callsite};
        key.word = entry_word(old->function, old->region, old->communicator, old->kind);
        key = fold_key(&key, precision);
        struct mprof_entry *entry =
            probe(to, to_mask, key.size, key_word(&key, precision), key.callsite);
        if (entry->in_use == 0) {
            set_key(entry, &key, precision);
            count++;
        }
        add_entry(entry, old);
    }
    return count;
}

static void use_table(struct recorder *recorder, struct mprof_entry *entries, uint32_t capacity,
                      uint32_t section)
{
    recorder->entries = entries;
    recorder->entry_mask = capacity - 1;
    recorder->entry_limit = capacity / LOAD_DENOMINATOR * LOAD_NUMERATOR;
    recorder_forget_rows(recorder);
    /* One store switches a reader of the live file from the old table to the new one. */
    __atomic_store_n(&recorder->live->entries_section, section, __ATOMIC_RELEASE);
}

static struct mprof_entry *allocate_table(const struct recorder *recorder, uint32_t capacity,
                                          bool essential, uint32_t *section)
{
    return arena_allocate(MPROF_SECTION_ENTRIES, recorder->instance,
                          capacity * sizeof(struct mprof_entry), sizeof(struct mprof_entry),
                          essential, section);
}

bool entry_table_open(struct recorder *recorder, bool essential)
{
    uint32_t section;
    struct mprof_entry *entries = allocate_table(recorder, FIRST_ENTRIES, essential, &section);
    if (entries == NULL)
        return false;
    use_table(recorder, entries, FIRST_ENTRIES, section);
    return true;
}

static bool grow(struct recorder *recorder)
{
    uint32_t capacity = (recorder->entry_mask + 1) * 2;
    uint32_t section;
    struct mprof_entry *entries = allocate_table(recorder, capacity, false, &section);
    if (entries == NULL)
        return false;
    uint32_t old_section = recorder->live->entries_section;
    rehash(recorder->entries, recorder->entry_mask, entries, capacity - 1, recorder->precision);
    use_table(recorder, entries, capacity, section);
    arena_free(old_section);
    return true;
}

/* One step less detail, through a table in private memory. A kill in the copy's microseconds could
 * spoil the live file; this happens at most twice per thread and run. */
static void fold(struct recorder *recorder)
{
    size_t bytes = (recorder->entry_mask + 1) * sizeof(struct mprof_entry);
    struct mprof_entry *folded =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    recorder->precision++;
    recorder->plain = false;
    if (folded == MAP_FAILED)
        return;
    recorder->entry_count = rehash(recorder->entries, recorder->entry_mask, folded,
                                   recorder->entry_mask, recorder->precision);
    memcpy(recorder->entries, folded, bytes);
    recorder_forget_rows(recorder);
    munmap(folded, bytes);
}

static void make_room(struct recorder *recorder)
{
    if (recorder->live == NULL || grow(recorder))
        return;
    while (recorder->entry_count >= recorder->entry_limit &&
           recorder->precision < MPROF_PRECISION_FUNCTION)
        fold(recorder);
}

/* For what cannot be kept anywhere; never read. */
static struct mprof_entry lost;

static __attribute__((noinline)) struct mprof_entry *new_entry(struct recorder *recorder,
                                                               const struct entry_key *key)
{
    if (recorder->entry_count >= recorder->entry_limit)
        make_room(recorder);
    struct entry_key folded = fold_key(key, recorder->precision);
    struct mprof_entry *entry = probe(recorder->entries, recorder->entry_mask, folded.size,
                                      key_word(&folded, recorder->precision), folded.callsite);
    if (entry->in_use == 0 && recorder->entry_count >= recorder->entry_mask) {
        /* Folding had no memory for its copy. One slot must stay empty, or probing would not end.
         */
        recorder->live->folded_calls++;
        return &lost;
    }
    if (entry->in_use == 0) {
        set_key(entry, &folded, recorder->precision);
        recorder->entry_count++;
    }
    return entry;
}

void entry_count_folded(struct recorder *recorder)
{
    if (recorder->precision == MPROF_PRECISION_BIN)
        recorder->live->binned_calls++;
    else
        recorder->live->folded_calls++;
}

struct mprof_entry *entry_far(struct recorder *recorder, const struct entry_key *key)
{
    struct entry_key folded = *key;
    if (__builtin_expect(recorder->precision != MPROF_PRECISION_EXACT, 0))
        folded = fold_key(key, recorder->precision);
    struct mprof_entry *entry = probe(recorder->entries, recorder->entry_mask, folded.size,
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

void site_begin(struct site *site, const struct entry_key *key)
{
    site->word = key->word;
    site->callsite = key->callsite;
    site->pending = site->arrived = site->completed = &no_entry;
}

struct mprof_entry *record_call(struct recorder *recorder, const struct entry_key *key,
                                uint64_t ticks)
{
    recorder_lock(recorder);
    struct mprof_entry *entry = entry_far(recorder, key);
    entry_add(entry, key->size, ticks);
    if (recorder->precision != MPROF_PRECISION_EXACT)
        entry_count_folded(recorder);
    recorder_unlock(recorder);
    return entry;
}

void record_messages(struct recorder *recorder, const struct entry_key *key, uint64_t messages,
                     uint64_t bytes)
{
    recorder_lock(recorder);
    struct mprof_entry *entry = entry_far(recorder, key);
    entry->calls += messages;
    entry->bytes += bytes;
    recorder_unlock(recorder);
}
