/* Regions (regions.h). The record is a table in the arena, in pieces; beside it, in private memory,
 * the children of each region are chained, so that begin finds a known path without a lock: chains
 * only grow, at their front. */
#include "record/time/regions.h"

#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "record/counters/counters.h"
#include "record/time/polls.h"
#include "store/arena.h"

enum { PIECE_RECORDS = 64, SURE_PIECES = 2, MAX_SLOTS = PIECE_RECORDS * MAX_PIECES };

#define REGIONS_AT_START                      \
    {                                         \
        .slots = MPROF_REGION_SLOT_PAUSED + 1 \
    }
static struct {
    struct lock lock;
    uint32_t slots;
    uint16_t first_child[MAX_SLOTS]; /* 0 = none: the program is nobody's child */
    uint16_t next_sibling[MAX_SLOTS];
} regions = REGIONS_AT_START;

static struct piece_table table = {.section_type = MPROF_SECTION_REGIONS,
                                   .record_bytes = sizeof(struct mprof_region),
                                   .piece_records = PIECE_RECORDS,
                                   .sure_pieces = SURE_PIECES};

/* NULL only for a slot that was never made. */
static struct mprof_region *record_of(uint32_t slot)
{
    return piece_record(&table, slot);
}

/* With the lock held. */
static struct mprof_region *make_record(uint32_t slot)
{
    return piece_make(&table, slot);
}

static bool has_name(uint32_t slot, const char *name)
{
    const struct mprof_region *record = record_of(slot);
    return record != NULL && strncmp(record->name, name, sizeof record->name - 1) == 0;
}

static uint16_t find_child(uint16_t parent, const char *name)
{
    uint16_t child = __atomic_load_n(&regions.first_child[parent], __ATOMIC_ACQUIRE);
    while (child != 0 && !has_name(child, name))
        child = regions.next_sibling[child];
    return child;
}

/* A new path; 0 when there is no room. */
static uint16_t make_child(uint16_t parent, const char *name)
{
    if (!lock_take(&regions.lock))
        return 0;
    uint16_t child = find_child(parent, name); /* perhaps by another thread meanwhile */
    struct mprof_region *record = NULL;
    if (child == 0 && regions.slots < MAX_SLOTS && make_record(0) != NULL)
        record = make_record(regions.slots);
    if (record != NULL) {
        child = (uint16_t)regions.slots++;
        record->parent = parent;
        memcpy(record->name, name, strnlen(name, sizeof record->name - 1));
        record->flags = MPROF_REGION_IN_USE;
        regions.next_sibling[child] = regions.first_child[parent];
        __atomic_store_n(&regions.first_child[parent], child, __ATOMIC_RELEASE);
    }
    lock_give(&regions.lock);
    return child;
}

static void open_region(struct mprof_region *record)
{
    __atomic_fetch_add(&record->visits, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&record->ticks, clock_ticks(), __ATOMIC_RELAXED);
    __atomic_fetch_add(&record->open, 1, __ATOMIC_RELAXED);
}

static void close_region(struct mprof_region *record)
{
    __atomic_fetch_sub(&record->open, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&record->ticks, clock_ticks(), __ATOMIC_RELAXED);
}

/* A remark in the record of the whole program. */
static void count_remark(size_t offset)
{
    if (!lock_take(&regions.lock))
        return;
    struct mprof_region *program = make_record(MPROF_REGION_SLOT_PROGRAM);
    if (program != NULL) {
        program->flags |= MPROF_REGION_IN_USE;
        ++*(uint64_t *)(void *)((char *)program + offset);
    }
    lock_give(&regions.lock);
}

void region_begin(struct thread_state *thread, const char *name)
{
    uint16_t child = find_child(thread->region, name);
    if (child == 0)
        child = make_child(thread->region, name);
    if (child == 0) {
        thread->regions_not_kept++; /* its end will come as well */
        count_remark(offsetof(struct mprof_region, not_kept));
        return;
    }
    if (counters_on)
        counters_change_region();
    open_region(record_of(child));
    thread->region = child;
}

/* The innermost open region of this name; 0 = none. */
static uint16_t find_open(uint16_t slot, const char *name)
{
    while (slot != MPROF_REGION_SLOT_PROGRAM && !has_name(slot, name))
        slot = (uint16_t)record_of(slot)->parent;
    return slot;
}

bool region_is_open(const struct thread_state *thread, const char *name)
{
    return find_open(thread->region, name) != MPROF_REGION_SLOT_PROGRAM;
}

void region_end(struct thread_state *thread, const char *name)
{
    uint16_t ended = find_open(thread->region, name);
    if (ended == MPROF_REGION_SLOT_PROGRAM) {
        if (thread->regions_not_kept > 0)
            thread->regions_not_kept--;
        else
            count_remark(offsetof(struct mprof_region, unmatched_ends));
        return;
    }
    if (counters_on)
        counters_change_region();
    for (;;) {
        uint16_t slot = thread->region;
        struct mprof_region *record = record_of(slot);
        close_region(record);
        thread->region = (uint16_t)record->parent;
        if (slot == ended)
            break;
        __atomic_fetch_or(&record->flags, MPROF_REGION_LEFT_OPEN, __ATOMIC_RELAXED);
    }
}

static struct mprof_region *paused_record(void)
{
    if (!lock_take(&regions.lock))
        return NULL;
    struct mprof_region *record = make_record(MPROF_REGION_SLOT_PAUSED);
    if (record != NULL)
        record->flags |= MPROF_REGION_IN_USE;
    lock_give(&regions.lock);
    return record;
}

/* A depth that no call reaches from outside: every call is nested in the pause (attach.c). */
static const void *const everywhere = (const void *)UINTPTR_MAX;

void region_pause(struct thread_state *thread)
{
    struct mprof_region *record = paused_record();
    if (thread->paused || record == NULL)
        return;
    if (counters_on)
        counters_change_region();
    polls_forget(); /* otherwise the untimed polls would get a share of the pause */
    open_region(record);
    thread->paused = true;
    thread->depth = 1;
    thread->outermost = everywhere;
}

void region_resume(struct thread_state *thread)
{
    if (!thread->paused)
        return;
    if (counters_on)
        counters_skip(); /* what happened meanwhile is not recorded */
    close_region(paused_record());
    thread->paused = false;
    thread->depth = 0;
}

struct mprof_folded_sums *region_folded(uint32_t slot)
{
    struct mprof_region *record = slot == MPROF_REGION_SLOT_PROGRAM ? NULL : record_of(slot);
    return record == NULL ? NULL : &record->folded;
}

void regions_forget(void)
{
    regions = (__typeof__(regions))REGIONS_AT_START;
    memset(table.pieces, 0, sizeof table.pieces);
}
