/* How long each collective took, communicator by communicator, in the order of the calls.
 *
 * All ranks of a communicator call its collectives in the same order, so the parser can lay the
 * journals of the ranks side by side. In an operation where all ranks wait for each other, the last
 * rank to arrive has the shortest duration. The other ranks waited for the rest of theirs. No
 * clocks are compared and no barrier is added (mprof/format/format.h: mprof_journal; parser:
 * waits/waits.h).
 *
 * A journal grows up to a limit. Then all ranks drop the same half of the instances, each time the
 * limit is reached. Two threads never append to one journal at the same time: MPI forbids
 * concurrent collectives on one communicator.
 */
#ifndef MPROF_JOURNALS_H
#define MPROF_JOURNALS_H

#include <stdint.h>

#include "mprof/format/format.h"

/* Where a nonblocking collective was noted, to fill its duration in when it completes. */
struct journal_place {
    uint32_t item; /* index + 1; 0 = not kept */
    uint32_t thinning;
};

/* The slot of this kind of call in the record. `*hint` is the slot that the caller got last time,
 * or any other number. */
uint32_t operation_of(uint16_t function, uint16_t region, uint32_t callsite, int32_t root,
                      uint32_t *hint);

/* One collective more on the communicator of this slot. `ticks` 0 = not known yet. */
struct journal_place journal_append(uint32_t communicator, uint32_t operation, uint64_t ticks);

void journal_complete(uint32_t communicator, struct journal_place place, uint64_t ticks);

/* The number of collectives so far in the `number`-th journal, from 0, in the order in which they
 * began: those that time bins tell of (mprof_time). 0 = there is no such journal. On the thread of
 * the first recorder alone. */
uint64_t journal_of_time(uint32_t number, uint32_t *communicator);

/* For the finished file: every journal with items, thinned down to what a file should hold. */
void journals_visit(void (*visit)(const struct mprof_journal *journal, const uint32_t *items,
                                  void *context),
                    void *context);

/* In a child with a record of its own (attach.c). */
void journals_forget(void);

#endif
