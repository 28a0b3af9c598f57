/* The segment table of a recorder: computing between two MPI calls, by the lines of the two. Called
 * for what a path does not remember, on the recorder's own thread; record_segment() takes the lock
 * of a recorder that threads share.
 */
#ifndef MPROF_SEGMENT_TABLE_H
#define MPROF_SEGMENT_TABLE_H

#include "record/state/recorder.h"

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
