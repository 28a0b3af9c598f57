/* The two smaller tables of a recorder. Partners: messages, bytes and time by world rank, direction
 * and callsite. Segments: computing between two MPI calls, by the lines of the two.
 *
 * Called for what a path or a request does not remember, on the recorder's own thread, or with its
 * lock held; record_exchange() and record_segment() take that themselves.
 */
#ifndef MPROF_PAIR_TABLES_H
#define MPROF_PAIR_TABLES_H

#include "base/hot.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

/* ---- partners -------------------------------------------------------------------------------- */

/* rank, kind and in_use of a partner's row as one number */
static inline uint64_t partner_word(enum mprof_partner_kind kind, uint32_t world_rank)
{
    return world_rank | (uint64_t)kind << 32 | 1ull << 48;
}

static HOT bool partner_is(const struct mprof_partner *partner, uint64_t word, uint32_t callsite)
{
    return word_at(&partner->rank) == word && partner->callsite == callsite;
}

/* NULL = there is none. */
struct mprof_partner *partner_find(const struct recorder *recorder, enum mprof_partner_kind kind,
                                   uint32_t rank, uint32_t callsite);

/* Returns its row. */
struct mprof_partner *record_exchange(struct recorder *recorder, const struct exchange *exchange);

/* The row of this key comes into the cache, if it is where its hash says. */
void partner_prefetch(const struct recorder *recorder, enum mprof_partner_kind kind, uint32_t rank,
                      uint32_t callsite);

enum { FIRST_PARTNERS = 64 };

/* `essential`: may take of the arena's reserve. */
bool partner_table_open(struct recorder *recorder, bool essential);

/* ---- segments -------------------------------------------------------------------------------- */

/* Computing between two MPI calls: laid out as the first words of mprof_segment. */
struct segment_key {
    uint64_t callsites; /* from_callsite, to_callsite << 32 */
    uint64_t functions; /* from_function, to_function << 16, in_use << 32 */
};

static inline struct segment_key make_segment_key(uint32_t from_callsite, uint32_t from_function,
                                                  uint32_t to_callsite, uint32_t to_function)
{
    struct segment_key key;
    key.callsites = from_callsite | (uint64_t)to_callsite << 32;
    key.functions = from_function | (uint64_t)to_function << 16 | 1ull << 32;
    return key;
}

/* NULL = there is none. */
struct mprof_segment *segment_find(const struct recorder *recorder, const struct segment_key *key);

/* `growth` of the first counters, or NULL. Returns its row. */
struct mprof_segment *record_segment(struct recorder *recorder, const struct segment_key *key,
                                     uint64_t ticks, const uint64_t *growth);

/* The row of this key comes into the cache, if it is where its hash says. */
void segment_prefetch(const struct recorder *recorder, const struct segment_key *key);

/* The rows so far have taken no time. */
void segments_forget_time(struct recorder *recorder);

enum { FIRST_SEGMENTS = 128 };

/* `essential`: may take of the arena's reserve. */
bool segment_table_open(struct recorder *recorder, bool essential);

#endif
