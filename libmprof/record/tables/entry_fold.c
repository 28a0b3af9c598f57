/* Less detail where it hurts least: what the entry table does when there is no room for a larger
 * one (entry_table.h).
 *
 * In steps, each only if those before did not make room: the paths of callsites are cut to three
 * frames and then to the line alone, sizes become power-of-two bins, callsites and sizes go,
 * the communicator goes, and only the function is kept. The record of a region and of a
 * communicator keeps what rows that lost it held, so their sums stay exact. Each step begins with
 * the rows that weigh least. A row with 1/256 or more of the calls or of the time loses nothing as
 * long as the others make room. So the first lines of a report stay exact. The weight of a row is
 * its time plus its calls, each at the mean time of a call. The steps that touch callsites go by
 * the weight of all rows of a callsite, the others by the row's own. New calls are exact again,
 * until the table is full the next time.
 *
 * Receives that have not completed keep their row, because their completion looks for it. If they
 * take so much room that nothing else helps, every row loses callsite and size, and so does every
 * later call; if that does not help, all but the function. Then the sums of regions and
 * communicators are in their records alone.
 *
 * All happens in place: a row is taken out, then added to the one that it folds to. A kill between
 * the two loses one row in the live file; it never shows one twice.
 */
#include "record/tables/entry_table.h"

#include "base/hot.h"
#include "base/lock.h"
#include "record/objects/communicators.h"
#include "record/paths/callsites.h"
#include "record/time/regions.h"

enum fold_step {
    STEP_PATH,
    STEP_LINE,
    STEP_SIZE,
    STEP_PLACE, /* and the size: what is left are function, region and communicator */
    STEP_COMMUNICATOR,
    STEP_FUNCTION,
    STEPS
};

enum {
    SHORT_PATH_FRAMES = 3,
    HEAVY_SHARE = 512, /* of time and calls together: 1/256 of one of them is that, or more */
    PARTS = 4,         /* a step takes the lightest quarter of what it can fold, then the next */
    CELLS = 8192,      /* of weights by callsite: those of one cell count as one */
    LEAST_GAIN = 4,    /* a step that saves less than a row of so many is not gone on with */
    BUCKETS = 65       /* of weights by their power of two */
};

/* Of the table that is folded now. */
static SELDOM struct {
    struct lock lock;
    uint64_t mean_ticks; /* of a call */
    uint64_t heavy;      /* what weighs as much is not folded */
    uint64_t by_callsite[CELLS];
} weights;

static uint64_t bin_of(uint64_t size)
{
    return size == 0 ? 0 : 1ull << (63 - __builtin_clzll(size));
}

/* A receive that began on one thread and ended on another has negative numbers here. */
static uint64_t at_least_0(uint64_t value)
{
    return (int64_t)value < 0 ? 0 : value;
}

static uint64_t weight_of_row(const struct mprof_entry *row)
{
    return at_least_0(row->ticks) + at_least_0(row->calls) * weights.mean_ticks;
}

static uint64_t weight_at(enum fold_step step, const struct mprof_entry *row)
{
    return step == STEP_PATH || step == STEP_LINE || step == STEP_PLACE
               ? weights.by_callsite[row->callsite % CELLS]
               : weight_of_row(row);
}

static void weigh_rows(const struct recorder *recorder)
{
    uint64_t ticks = 0;
    uint64_t calls = 1;
    memset(weights.by_callsite, 0, sizeof weights.by_callsite);
    for (uint32_t i = 0; i <= recorder->entry_mask; i++) {
        ticks += at_least_0(recorder->entries[i].ticks);
        calls += at_least_0(recorder->entries[i].calls);
    }
    weights.mean_ticks = ticks / calls + 1;
    uint64_t total = 0;
    for (uint32_t i = 0; i <= recorder->entry_mask; i++) {
        uint64_t weight = weight_of_row(&recorder->entries[i]);
        weights.by_callsite[recorder->entries[i].callsite % CELLS] += weight;
        total += weight;
    }
    weights.heavy = total / HEAVY_SHARE;
}

static bool is_function_alone(const struct mprof_entry *row)
{
    return row->precision == MPROF_PRECISION_FUNCTION && row->region == 0 && row->communicator == 0;
}

/* The row after this step; false if that changes nothing. */
static bool lower_detail(enum fold_step step, struct mprof_entry *row)
{
    struct mprof_entry old = *row;
    switch (step) {
    case STEP_PATH:
        row->callsite = callsite_shorten(row->callsite, SHORT_PATH_FRAMES);
        return row->callsite != old.callsite;
    case STEP_LINE:
        row->callsite = callsite_shorten(row->callsite, 1);
        return row->callsite != old.callsite;
    case STEP_SIZE:
        if (row->precision != MPROF_PRECISION_EXACT)
            return false;
        row->precision = MPROF_PRECISION_BIN;
        row->size = bin_of(row->size);
        return true;
    case STEP_PLACE:
        row->size = 0;
        row->callsite = 0;
        row->precision = MPROF_PRECISION_FUNCTION;
        return old.precision != MPROF_PRECISION_FUNCTION;
    case STEP_COMMUNICATOR:
        if (row->communicator <= MPROF_COMM_SLOT_OTHER)
            return false;
        row->communicator = MPROF_COMM_SLOT_NONE;
        return true;
    default:
        row->size = 0;
        row->region = row->communicator = 0;
        row->callsite = 0;
        row->precision = MPROF_PRECISION_FUNCTION;
        return !is_function_alone(&old);
    }
}

static bool is_settled(const struct mprof_entry *row)
{
    return row->kind != MPROF_KIND_PENDING || row->calls == 0;
}

static bool is_foldable(enum fold_step step, const struct mprof_entry *row)
{
    if (row->in_use == 0 || is_function_alone(row) || !is_settled(row))
        return false;
    if (step == STEP_SIZE && row->precision != MPROF_PRECISION_EXACT)
        return false;
    if (step <= STEP_PLACE && row->precision == MPROF_PRECISION_FUNCTION)
        return false;
    return weight_at(step, row) < weights.heavy;
}

static uint32_t bucket_of(uint64_t weight)
{
    return weight == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(weight);
}

/* The lightest `part` quarters of what this step can fold are in buckets up to this one. */
static uint32_t last_bucket(const struct recorder *recorder, enum fold_step step, uint32_t part)
{
    uint32_t rows[BUCKETS] = {0};
    uint32_t all = 0;
    for (uint32_t i = 0; i <= recorder->entry_mask; i++)
        if (is_foldable(step, &recorder->entries[i])) {
            rows[bucket_of(weight_at(step, &recorder->entries[i]))]++;
            all++;
        }
    uint32_t bucket = 0;
    for (uint32_t below = rows[0]; bucket < BUCKETS - 1 && below * PARTS < all * part;)
        below += rows[++bucket];
    return bucket;
}

/* From there to here, where nothing is. */
static void move_row(struct mprof_entry *to, struct mprof_entry *from)
{
    struct mprof_entry row = *from;
    __atomic_store_n(&from->in_use, 0, __ATOMIC_RELEASE);
    row.in_use = 0;
    *to = row;
    __atomic_store_n(&to->in_use, 1, __ATOMIC_RELEASE);
}

/* Moves up the rows behind it that a search would no longer find. */
static void take_out(struct recorder *recorder, uint32_t hole)
{
    struct mprof_entry *entries = recorder->entries;
    uint32_t mask = recorder->entry_mask;
    __atomic_store_n(&entries[hole].in_use, 0, __ATOMIC_RELEASE);
    for (uint32_t at = (hole + 1) & mask; entries[at].in_use != 0; at = (at + 1) & mask) {
        uint32_t home = entry_home(recorder, &entries[at]);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        move_row(&entries[hole], &entries[at]);
        hole = at;
    }
    memset(&entries[hole], 0, sizeof entries[hole]);
    recorder->entry_count--;
}

/* A completed receive has reported everything under its true size. */
static bool is_empty(const struct mprof_entry *row)
{
    return row->calls == 0 && row->bytes == 0 && row->ticks == 0;
}

static bool is_of_calls(const struct mprof_entry *row)
{
    return row->kind == MPROF_KIND_CALL || row->kind == MPROF_KIND_PENDING;
}

/* Values add up like those of entries: modulo 2^64. */
static void add_sums(struct mprof_folded_sums *sums, const struct mprof_entry *row)
{
    const bool has_bytes = row->kind == MPROF_KIND_CALL || row->kind == MPROF_KIND_START;
    if (sums == NULL)
        return;
    if (is_of_calls(row)) {
        __atomic_fetch_add(&sums->calls, row->calls, __ATOMIC_RELAXED);
        __atomic_fetch_add(&sums->ticks, row->ticks, __ATOMIC_RELAXED);
    }
    if (has_bytes)
        __atomic_fetch_add(&sums->bytes, row->bytes, __ATOMIC_RELAXED);
}

/* The sums of regions and communicators stay exact. */
static void keep_sums(const struct mprof_entry *before, const struct mprof_entry *after)
{
    if (before->region != after->region)
        add_sums(region_folded(before->region), before);
    if (before->communicator != after->communicator)
        add_sums(comm_folded(before->communicator), before);
}

void entry_keep_sums(const struct entry_key *key, uint64_t calls, uint64_t bytes, uint64_t ticks)
{
    struct mprof_entry row = {.calls = calls, .bytes = bytes, .ticks = ticks};
    entry_set_key(&row, key, MPROF_PRECISION_FUNCTION);
    add_sums(region_folded(row.region), &row);
    add_sums(comm_folded(row.communicator), &row);
}

/* False if the row stays as it is. */
static bool fold_row(struct recorder *recorder, uint32_t at, enum fold_step step)
{
    struct mprof_entry row = recorder->entries[at];
    bool empty = is_empty(&row);
    bool had_callsite = row.callsite != 0;
    const struct mprof_entry before = row;
    if (!empty && !lower_detail(step, &row))
        return false;
    keep_sums(&before, &row);
    take_out(recorder, at);
    if (empty)
        return true;
    if (had_callsite && row.callsite == 0 && is_of_calls(&row))
        recorder->live->folded_callsites += row.calls;
    entry_put(recorder, &row);
    return true;
}

/* Returns how many rows lost detail. A row that moves up is looked at in its new place. A row that
 * folds to a later row is looked at twice, the second time in vain. */
static uint32_t fold_rows(struct recorder *recorder, enum fold_step step, uint32_t bucket)
{
    uint32_t folded = 0;
    for (uint32_t i = 0; i <= recorder->entry_mask;) {
        const struct mprof_entry *row = &recorder->entries[i];
        bool is_light = is_foldable(step, row) && bucket_of(weight_at(step, row)) <= bucket;
        if (is_light && fold_row(recorder, i, step))
            folded++;
        else
            i++;
    }
    return folded;
}

/* Every row, pending or not, and later calls. */
static void keep_less(struct recorder *recorder, enum fold_step step)
{
    recorder->precision = MPROF_PRECISION_FUNCTION;
    recorder->function_alone = step == STEP_FUNCTION;
    recorder->plain = false;
    for (uint32_t i = 0; i <= recorder->entry_mask;)
        if (recorder->entries[i].in_use == 0 || !fold_row(recorder, i, step))
            i++;
}

static bool is_crowded(const struct recorder *recorder)
{
    return recorder->entry_count > recorder->entry_limit - (recorder->entry_mask + 1) / 8;
}

static void count_folded(struct recorder *recorder)
{
    uint64_t calls[MPROF_PRECISION_FUNCTION + 1] = {0};
    for (uint32_t i = 0; i <= recorder->entry_mask; i++) {
        const struct mprof_entry *row = &recorder->entries[i];
        if (is_of_calls(row))
            calls[row->precision] += row->calls;
    }
    recorder->live->binned_calls = calls[MPROF_PRECISION_BIN];
    recorder->live->folded_calls = calls[MPROF_PRECISION_FUNCTION];
}

/* False if that did not make room. */
static bool fold_in_steps(struct recorder *recorder, uint32_t wanted, bool spares_heavy)
{
    for (enum fold_step step = STEP_PATH; step < STEPS; step++) {
        weigh_rows(recorder);
        if (!spares_heavy)
            weights.heavy = UINT64_MAX;
        for (uint32_t part = 1; part <= PARTS; part++) {
            uint32_t before = recorder->entry_count;
            uint32_t folded = fold_rows(recorder, step, last_bucket(recorder, step, part));
            if (recorder->entry_count <= wanted)
                return true;
            if (before - recorder->entry_count < folded / LEAST_GAIN)
                break;
        }
    }
    return false;
}

void entries_fold(struct recorder *recorder)
{
    uint32_t capacity = recorder->entry_mask + 1;
    if (lock_take(&weights.lock)) {
        if (!fold_in_steps(recorder, capacity / 2, true))
            fold_in_steps(recorder, capacity / 2, false);
        lock_give(&weights.lock);
    }
    if (is_crowded(recorder) && recorder->precision != MPROF_PRECISION_FUNCTION)
        keep_less(recorder, STEP_PLACE);
    if (is_crowded(recorder))
        keep_less(recorder, STEP_FUNCTION);
    count_folded(recorder);
    entry_rows_forget(recorder);
}
