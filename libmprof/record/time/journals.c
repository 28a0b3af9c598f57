/* Journals and the table of operations (journals.h). */
#include "record/time/journals.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hot.h"
#include "base/lock.h"
#include "base/options.h"
#include "record/state/record.h"
#include "store/arena.h"

enum {
    FIRST_BYTES = 1024,
    LIMIT_BYTES = 64 * 1024, /* of one journal: 16,376 items */
    JOURNALS = 4096,         /* as many as there are slots of communicators */
    FILE_ITEMS = 4096, /* of one journal in a finished file: 1.6 % error of a mean that varies by
                          100 % */
    OPERATION_BUCKETS = 1024,
    PIECE_RECORDS = 256
};

struct journal {
    struct mprof_journal *record; /* NULL = none yet */
    uint32_t section;
    bool refused; /* there was no room for one */
};

static SELDOM struct {
    struct lock lock;                      /* for what the journals share: memory */
    size_t bytes;                          /* of all journals */
    uint32_t of_time[MPROF_TIME_JOURNALS]; /* communicators of the first ones */
    uint32_t count_of_time;
    struct journal journals[JOURNALS];
} all;

static struct piece_table table =
    PIECE_TABLE(MPROF_SECTION_OPERATIONS, struct mprof_operation, PIECE_RECORDS);

#define OPERATIONS_AT_START \
    {                       \
        .slots = 1          \
    }
static struct {
    struct lock lock;
    uint32_t slots; /* in use, slot 0 included */
    uint32_t buckets[OPERATION_BUCKETS];
    uint32_t next[PIECE_RECORDS * MAX_PIECES];
} operations = OPERATIONS_AT_START;

/* ---- operations ------------------------------------------------------------------------------ */

static bool is_operation(const struct mprof_operation *row, const struct mprof_operation *wanted)
{
    return row != NULL && row->callsite == wanted->callsite && row->function == wanted->function &&
           row->region == wanted->region && row->root == wanted->root &&
           __atomic_load_n(&row->in_use, __ATOMIC_ACQUIRE) != 0;
}

static uint32_t *bucket_of(const struct mprof_operation *operation)
{
    uint64_t key = ((uint64_t)operation->callsite << 32 | (uint32_t)operation->root) ^
                   ((uint64_t)operation->function << 16 | operation->region) * 0xc2b2ae3d27d4eb4fu;
    return &operations.buckets[(key * 0x9e3779b97f4a7c15u) >> 54];
}

/* With the lock held. */
static uint32_t find_or_make(const struct mprof_operation *wanted)
{
    uint32_t *bucket = bucket_of(wanted);
    for (uint32_t slot = *bucket; slot != 0; slot = operations.next[slot])
        if (is_operation(piece_record(&table, slot), wanted))
            return slot;
    struct mprof_operation *row =
        operations.slots < piece_capacity(&table) ? piece_make(&table, operations.slots) : NULL;
    if (row == NULL)
        return 0;
    *row = *wanted;
    __atomic_store_n(&row->in_use, 1, __ATOMIC_RELEASE);
    operations.next[operations.slots] = *bucket;
    *bucket = operations.slots;
    return operations.slots++;
}

uint32_t operation_of(uint16_t function, uint16_t region, uint32_t callsite, int32_t root,
                      uint32_t *hint)
{
    struct mprof_operation wanted = {
        .function = function, .region = region, .callsite = callsite, .root = root};
    if (*hint != 0 && is_operation(piece_record(&table, *hint), &wanted))
        return *hint;
    *hint = 0;
    if (lock_take(&operations.lock)) {
        *hint = find_or_make(&wanted);
        lock_give(&operations.lock);
    }
    if (*hint == 0)
        count_loss(&losses->unjournaled_collectives);
    return *hint;
}

/* ---- journals -------------------------------------------------------------------------------- */

static uint32_t *items_of(struct mprof_journal *row)
{
    return (uint32_t *)(row + 1);
}

/* Moves the journal to a new place of this size and frees the old one. Journals take at most a
 * quarter of the record. */
static bool move_to(struct journal *journal, uint32_t communicator, size_t bytes)
{
    uint32_t section;
    struct mprof_journal *old = journal->record;
    size_t old_bytes = old == NULL ? 0 : sizeof *old + old->capacity * sizeof(uint32_t);
    if (!lock_take(&all.lock))
        return false;
    bool room = all.bytes + bytes - old_bytes <= options.memory_bytes / 4;
    struct mprof_journal *row = room ? arena_allocate(MPROF_SECTION_JOURNALS, communicator, bytes,
                                                      sizeof *row, false, &section)
                                     : NULL;
    if (row != NULL)
        all.bytes += bytes - old_bytes;
    lock_give(&all.lock);
    if (row == NULL)
        return false;
    if (old != NULL)
        memcpy(row, old, old_bytes);
    row->communicator = communicator;
    __atomic_store_n(&row->capacity, (uint32_t)((bytes - sizeof *row) / sizeof(uint32_t)),
                     __ATOMIC_RELEASE);
    const uint32_t old_section = journal->section;
    journal->section = section;
    journal->record = row;
    IN_ORDER();
    if (old != NULL)
        arena_free(old_section);
    return true;
}

static bool is_kept(const struct mprof_journal *row, uint64_t instance)
{
    return mprof_journal_keeps(instance, row->thinning) != 0;
}

/* Drops about half of the items. A kill meanwhile leaves an empty journal, not a wrong one. */
static void thin(struct mprof_journal *row)
{
    uint32_t *items = items_of(row);
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t count = row->items;
    __atomic_store_n(&row->items, 0, __ATOMIC_RELEASE);
    for (uint64_t instance = 0; from < count; instance++) {
        if (!is_kept(row, instance))
            continue;
        if (mprof_journal_keeps(instance, row->thinning + 1))
            items[to++] = items[from];
        from++;
    }
    row->thinning++;
    __atomic_store_n(&row->items, to, __ATOMIC_RELEASE);
}

/* Room for one more item: by growing, else by thinning. */
static __attribute__((noinline)) void make_room(struct journal *journal, uint32_t communicator)
{
    struct mprof_journal *row = journal->record;
    size_t bytes = sizeof *row + row->capacity * sizeof(uint32_t);
    if (bytes >= LIMIT_BYTES || !move_to(journal, communicator, bytes * 2))
        thin(row);
}

static __attribute__((noinline)) bool begin(struct journal *journal, uint32_t communicator)
{
    if (!journal->refused)
        journal->refused = !move_to(journal, communicator, FIRST_BYTES);
    if (!journal->refused && all.count_of_time < MPROF_TIME_JOURNALS)
        all.of_time[all.count_of_time++] = communicator;
    return !journal->refused;
}

uint64_t journal_of_time(uint32_t number, uint32_t *communicator)
{
    if (number >= all.count_of_time)
        return 0;
    *communicator = all.of_time[number];
    return all.journals[*communicator].record->instances;
}

static uint32_t item_of(uint32_t operation, uint64_t ticks)
{
    uint32_t code = ticks == 0 ? 0 : mprof_duration_code(ticks);
    return operation << MPROF_JOURNAL_CODE_BITS | code;
}

struct journal_place journal_append(uint32_t communicator, uint32_t operation, uint64_t ticks)
{
    struct journal_place place = {0, 0};
    if (communicator >= JOURNALS)
        return place;
    struct journal *journal = &all.journals[communicator];
    if (journal->record == NULL && !begin(journal, communicator)) {
        count_loss(&losses->unjournaled_collectives);
        return place;
    }
    uint64_t instance = journal->record->instances;
    if (is_kept(journal->record, instance) && journal->record->items == journal->record->capacity)
        make_room(journal, communicator);
    struct mprof_journal *row = journal->record;
    if (is_kept(row, instance) && row->items < row->capacity) {
        items_of(row)[row->items] = item_of(operation, ticks);
        __atomic_store_n(&row->items, row->items + 1, __ATOMIC_RELEASE);
        place = (struct journal_place){row->items, row->thinning};
    }
    row->instances = instance + 1;
    return place;
}

void journal_complete(uint32_t communicator, struct journal_place place, uint64_t ticks)
{
    struct mprof_journal *row = communicator < JOURNALS ? all.journals[communicator].record : NULL;
    if (row == NULL || place.item == 0 || place.thinning != row->thinning)
        return;
    uint32_t *item = &items_of(row)[place.item - 1];
    *item = item_of(*item >> MPROF_JOURNAL_CODE_BITS, ticks);
}

void journals_visit(void (*visit)(const struct mprof_journal *journal, const uint32_t *items,
                                  void *context),
                    void *context)
{
    for (uint32_t communicator = 0; communicator < JOURNALS; communicator++) {
        struct mprof_journal *row = all.journals[communicator].record;
        if (row == NULL || row->items == 0)
            continue;
        while (row->items > FILE_ITEMS)
            thin(row);
        struct mprof_journal journal = *row;
        journal.capacity = (journal.items + 1) / 2 * 2;
        visit(&journal, items_of(row), context);
    }
}

void journals_forget(void)
{
    memset(&all, 0, sizeof all);
    all.lock = (struct lock){0};
    operations = (__typeof__(operations))OPERATIONS_AT_START;
    memset(table.pieces, 0, sizeof table.pieces);
}
