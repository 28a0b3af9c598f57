/* Partners and segments (pair_tables.h). The table of partners has a row for each that this rank
 * really has. When the arena is full, new rows first lose their callsite. After that, new partners
 * are added up as MPROF_RANK_OTHER, and new pairs of lines in the row from 0 to 0. */
#include "record/tables/pair_tables.h"

#include <string.h>

#include "record/paths/path_cache.h"
#include "store/arena.h"

/* ---- partners -------------------------------------------------------------------------------- */

static uint32_t partner_hash(uint32_t rank, uint16_t kind, uint32_t callsite)
{
    uint64_t key = ((uint64_t)rank << 2 | kind) ^ (uint64_t)callsite << 40;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

void partner_prefetch(const struct recorder *recorder, enum mprof_partner_kind kind, uint32_t rank,
                      uint32_t callsite)
{
    uint32_t at = partner_hash(rank, (uint16_t)kind, callsite) & recorder->partner_mask;
    __builtin_prefetch(&recorder->partners[at], 1);
}

struct partner_key {
    uint32_t rank;
    uint16_t kind;
    uint32_t callsite;
};

static HOT bool is_partner(const void *row, const void *wanted)
{
    const struct mprof_partner *partner = row;
    const struct partner_key *key = wanted;
    return partner->in_use == 0 ||
           (partner->rank == key->rank && partner->callsite == key->callsite &&
            partner->kind == key->kind);
}

static struct mprof_partner *partner_probe(struct mprof_partner *partners, uint32_t mask,
                                           uint32_t rank, uint16_t kind, uint32_t callsite)
{
    const struct partner_key key = {rank, kind, callsite};
    return row_probe(partners, sizeof *partners, mask, partner_hash(rank, kind, callsite),
                     is_partner, &key);
}

static bool move_partners(struct recorder *recorder, uint32_t capacity, bool essential)
{
    uint32_t section;
    struct mprof_partner *partners =
        arena_allocate(MPROF_SECTION_PARTNERS, recorder->number, capacity * sizeof *partners,
                       sizeof *partners, essential, &section);
    if (partners == NULL)
        return false;
    paths_forget_partners(); /* first: whoever leaves here goes on with the old table */
    const bool is_first = recorder->partners == NULL;
    uint32_t old_section = recorder->live->partners_section;
    for (uint32_t i = 0; recorder->partners != NULL && i <= recorder->partner_mask; i++)
        if (recorder->partners[i].in_use != 0)
            *partner_probe(partners, capacity - 1, recorder->partners[i].rank,
                           recorder->partners[i].kind, recorder->partners[i].callsite) =
                recorder->partners[i];
    __atomic_store_n(&recorder->live->partners_section, section, __ATOMIC_RELEASE);
    recorder->partners = partners;
    recorder->partner_mask = capacity - 1;
    recorder->partner_limit = capacity / LOAD_DENOMINATOR * LOAD_NUMERATOR;
    IN_ORDER();
    if (!is_first)
        arena_free(old_section);
    return true;
}

bool partner_table_open(struct recorder *recorder, bool essential)
{
    return move_partners(recorder, FIRST_PARTNERS, essential);
}

static struct mprof_partner *partner_at(const struct recorder *recorder, uint32_t rank,
                                        uint16_t kind, uint32_t callsite)
{
    return partner_probe(recorder->partners, recorder->partner_mask, rank, kind, callsite);
}

struct mprof_partner *partner_find(const struct recorder *recorder, enum mprof_partner_kind kind,
                                   uint32_t rank, uint32_t callsite)
{
    struct mprof_partner *partner = partner_at(recorder, rank, (uint16_t)kind, callsite);
    return partner->in_use != 0 ? partner : NULL;
}

/* Of the quarter that stays free, half serves partners whose callsite is dropped, the rest the rows
 * of MPROF_RANK_OTHER, one per kind. */
static __attribute__((noinline)) struct mprof_partner *new_partner(struct recorder *recorder,
                                                                   const struct exchange *exchange)
{
    uint32_t rank = exchange->world_rank;
    uint32_t callsite = exchange->callsite;
    uint16_t kind = (uint16_t)exchange->kind;
    if (recorder->partner_count >= recorder->partner_limit &&
        !move_partners(recorder, (recorder->partner_mask + 1) * 2, false)) {
        recorder->live->unplaced_messages += callsite != 0 ? exchange->messages : 0;
        callsite = 0;
        uint32_t last_limit = recorder->partner_limit + (recorder->partner_mask + 1) / 8;
        if (partner_at(recorder, rank, kind, 0)->in_use == 0 &&
            recorder->partner_count >= last_limit)
            rank = MPROF_RANK_OTHER;
    }
    if (rank == MPROF_RANK_OTHER)
        recorder->live->folded_messages += exchange->messages;
    struct mprof_partner *partner = partner_at(recorder, rank, kind, callsite);
    if (partner->in_use == 0) {
        partner->rank = rank;
        partner->kind = kind;
        partner->callsite = callsite;
        recorder->partner_count++;
        __atomic_store_n(&partner->in_use, 1, __ATOMIC_RELEASE);
    }
    return partner;
}

struct mprof_partner *record_exchange(struct recorder *recorder, const struct exchange *exchange)
{
    static struct mprof_partner lost;
    if (!recorder_lock(recorder)) {
        __atomic_fetch_add(&recorder->live->folded_messages, exchange->messages, __ATOMIC_RELAXED);
        return &lost;
    }
    struct mprof_partner *partner =
        partner_at(recorder, exchange->world_rank, (uint16_t)exchange->kind, exchange->callsite);
    if (__builtin_expect(partner->in_use == 0, 0))
        partner = new_partner(recorder, exchange);
    partner->messages += exchange->messages;
    partner->bytes += exchange->bytes;
    partner->ticks += exchange->ticks;
    recorder_unlock(recorder);
    return partner;
}

/* ---- segments -------------------------------------------------------------------------------- */

enum { MOST_SEGMENTS = 16384 };

static struct segment_key segment_key_of(const struct mprof_segment *segment)
{
    return (struct segment_key){word_at(&segment->from_callsite), word_at(&segment->from_function)};
}

static uint32_t segment_hash(const struct segment_key *key)
{
    uint64_t hash = key->callsites ^ key->functions * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)(hash * 0x9e3779b97f4a7c15u >> 32);
}

void segment_prefetch(const struct recorder *recorder, const struct segment_key *key)
{
    __builtin_prefetch(&recorder->segments[segment_hash(key) & recorder->segment_mask], 1);
}

static HOT bool is_segment(const void *row, const void *wanted)
{
    const struct mprof_segment *segment = row;
    const struct segment_key *key = wanted;
    const struct segment_key found = segment_key_of(segment);
    return segment->in_use == 0 ||
           (found.callsites == key->callsites && found.functions == key->functions);
}

static struct mprof_segment *segment_probe(struct mprof_segment *segments, uint32_t mask,
                                           const struct segment_key *key)
{
    return row_probe(segments, sizeof *segments, mask, segment_hash(key), is_segment, key);
}

struct mprof_segment *segment_find(const struct recorder *recorder, const struct segment_key *key)
{
    struct mprof_segment *segment = segment_probe(recorder->segments, recorder->segment_mask, key);
    return segment->in_use != 0 ? segment : NULL;
}

static bool move_segments(struct recorder *recorder, uint32_t capacity, bool essential)
{
    uint32_t section;
    struct mprof_segment *segments =
        capacity > MOST_SEGMENTS
            ? NULL
            : arena_allocate(MPROF_SECTION_SEGMENTS, recorder->number, capacity * sizeof *segments,
                             sizeof *segments, essential, &section);
    if (segments == NULL)
        return false;
    paths_forget_rows(); /* first: whoever leaves here goes on with the old table */
    for (uint32_t i = 0; recorder->segments != NULL && i <= recorder->segment_mask; i++) {
        struct segment_key key = segment_key_of(&recorder->segments[i]);
        if (recorder->segments[i].in_use != 0)
            *segment_probe(segments, capacity - 1, &key) = recorder->segments[i];
    }
    const bool is_first = recorder->segments == NULL;
    uint32_t old_section = recorder->live->segments_section;
    __atomic_store_n(&recorder->live->segments_section, section, __ATOMIC_RELEASE);
    recorder->segments = segments;
    recorder->segment_mask = capacity - 1;
    recorder->segment_limit = capacity / LOAD_DENOMINATOR * LOAD_NUMERATOR;
    IN_ORDER();
    if (!is_first)
        arena_free(old_section);
    return true;
}

bool segment_table_open(struct recorder *recorder, bool essential)
{
    return move_segments(recorder, FIRST_SEGMENTS, essential);
}

static __attribute__((noinline)) struct mprof_segment *new_segment(struct recorder *recorder,
                                                                   const struct segment_key *key)
{
    static const struct segment_key others = {0, 1ull << 32};
    if (recorder->segment_count >= recorder->segment_limit &&
        !move_segments(recorder, (recorder->segment_mask + 1) * 2, false)) {
        recorder->live->folded_segments++;
        key = &others;
    }
    struct mprof_segment *segment = segment_probe(recorder->segments, recorder->segment_mask, key);
    if (segment->in_use == 0) {
        segment->from_callsite = (uint32_t)key->callsites;
        segment->to_callsite = (uint32_t)(key->callsites >> 32);
        segment->from_function = (uint16_t)key->functions;
        segment->to_function = (uint16_t)(key->functions >> 16);
        recorder->segment_count++;
        __atomic_store_n(&segment->in_use, 1, __ATOMIC_RELEASE);
    }
    return segment;
}

struct mprof_segment *record_segment(struct recorder *recorder, const struct segment_key *key,
                                     uint64_t ticks, const uint64_t *growth)
{
    static struct mprof_segment lost;
    if (!recorder_lock(recorder))
        return &lost;
    struct mprof_segment *segment = segment_probe(recorder->segments, recorder->segment_mask, key);
    if (segment->in_use == 0)
        segment = new_segment(recorder, key);
    segment->count++;
    segment->ticks += ticks;
    for (int i = 0; growth != NULL && i < MPROF_SEGMENT_COUNTERS; i++)
        segment->counters[i] += growth[i];
    recorder_unlock(recorder);
    return segment;
}

void segments_forget_time(struct recorder *recorder)
{
    for (uint32_t i = 0; i <= recorder->segment_mask; i++) {
        struct mprof_segment *segment = &recorder->segments[i];
        if (segment->in_use == 0)
            continue; /* its page may be untouched */
        segment->ticks = 0;
        memset(segment->counters, 0, sizeof segment->counters);
    }
}
