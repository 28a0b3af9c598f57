/* The segment table: computing between two MPI calls, by the lines of the two (recorder.h). When
 * the arena is full, new pairs are added up in the row from 0 to 0. */

#include "record/tables/segment_table.h"

#include <string.h>

#include "record/paths/path_cache.h"
#include "store/arena.h"

enum { MAX_CAPACITY = 16384, LOAD_NUMERATOR = 3, LOAD_DENOMINATOR = 4 };

static struct segment_key key_of(const struct mprof_segment *segment)
{
    return (struct segment_key){word_at(&segment->from_callsite), word_at(&segment->from_function)};
}

static uint32_t hash_key(const struct segment_key *key)
{
    uint64_t hash = key->callsites ^ key->functions * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)(hash * 0x9e3779b97f4a7c15u >> 32);
}

void segment_prefetch(const struct recorder *recorder, const struct segment_key *key)
{
    __builtin_prefetch(&recorder->segments[hash_key(key) & recorder->segment_mask], 1);
}

static struct mprof_segment *probe(struct mprof_segment *segments, uint32_t mask,
                                   const struct segment_key *key)
{
    uint32_t at = hash_key(key) & mask;
    for (;; at = (at + 1) & mask) {
        struct segment_key found = key_of(&segments[at]);
        if (segments[at].in_use == 0 ||
            (found.callsites == key->callsites && found.functions == key->functions))
            return &segments[at];
    }
}

struct mprof_segment *segment_find(const struct recorder *recorder, const struct segment_key *key)
{
    struct mprof_segment *segment = probe(recorder->segments, recorder->segment_mask, key);
    return segment->in_use != 0 ? segment : NULL;
}

static bool use_new_table(struct recorder *recorder, uint32_t capacity, bool essential)
{
    uint32_t section;
    struct mprof_segment *segments =
        capacity > MAX_CAPACITY
            ? NULL
            : arena_allocate(MPROF_SECTION_SEGMENTS, recorder->number, capacity * sizeof *segments,
                             sizeof *segments, essential, &section);
    if (segments == NULL)
        return false;
    paths_forget_rows(); /* first: whoever leaves here goes on with the old table */
    for (uint32_t i = 0; recorder->segments != NULL && i <= recorder->segment_mask; i++) {
        struct segment_key key = key_of(&recorder->segments[i]);
        if (recorder->segments[i].in_use != 0)
            *probe(segments, capacity - 1, &key) = recorder->segments[i];
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
    return use_new_table(recorder, FIRST_SEGMENTS, essential);
}

static __attribute__((noinline)) struct mprof_segment *new_segment(struct recorder *recorder,
                                                                   const struct segment_key *key)
{
    static const struct segment_key others = {0, 1ull << 32};
    if (recorder->segment_count >= recorder->segment_limit &&
        !use_new_table(recorder, (recorder->segment_mask + 1) * 2, false)) {
        recorder->live->folded_segments++;
        key = &others;
    }
    struct mprof_segment *segment = probe(recorder->segments, recorder->segment_mask, key);
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
    struct mprof_segment *segment = probe(recorder->segments, recorder->segment_mask, key);
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
