/* The partner table of a recorder: messages, bytes and time by world rank, direction and callsite.
 * Called for what a path or a request does not remember, on the recorder's own thread, or with its
 * lock held; record_exchange() takes that itself.
 */
#ifndef MPROF_PARTNER_TABLE_H
#define MPROF_PARTNER_TABLE_H

#include "base/hot.h"
#include "record/state/recorder.h"
#include "record/state/running_call.h"

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

#endif
